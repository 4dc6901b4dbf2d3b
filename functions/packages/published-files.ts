import type { Infer } from '../../shared/http/schema.ts';
import { packageIdOf, versionIdOf } from '../../shared/packages/sources/identifiers.ts';
import type { PackageRef } from '../../shared/table/packages/package-keys.ts';
import type { Repository } from '../../shared/table/repositories/repositories.ts';
import type { publishedFilesSchema } from './upload-schemas.ts';

/** The repository in the address of the request, and the base URL of the API. */
export interface PublishedAt {
  readonly baseUrl: string;
  readonly repository: Repository;
}

/** The answer to a publication, with one entry for each file of the version. */
export const publishedFiles = (
  { baseUrl, repository: { workspaceId, repositoryId } }: PublishedAt,
  { version, ...ref }: PackageRef & { readonly version: string },
  fileNames: readonly string[],
): Infer<typeof publishedFilesSchema> => {
  const repository = `${baseUrl}/1/workspaces/${workspaceId}/repositories/${repositoryId}`;
  const link = `${repository}/packages/${encodeURIComponent(ref.name)}/versions/${encodeURIComponent(version)}`;
  const created = { packageId: packageIdOf(ref), versionId: versionIdOf(ref, version), link };
  return fileNames.map((packageFileName) => ({ packageFileName, isSucceeded: true, createdPackages: [created] }));
};
