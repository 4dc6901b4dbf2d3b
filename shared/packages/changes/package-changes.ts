import type { Change, Fields } from '../../table/changes.ts';
import type { PackageFile } from '../../table/packages/packages.ts';
import type { Repository } from '../../table/repositories/repositories.ts';
import type { PackagePublication } from './publication.ts';
import type { Known } from './publication-writes.ts';
import type { Removal } from './removal-writes.ts';

/** A change of a package. */
export const packageChange = (
  action: Change['action'],
  { workspaceId, repositoryId, name }: Repository,
  packageName: string,
  before: Fields | null,
  after: Fields | null,
): Change => ({
  action,
  workspaceId,
  repository: { repositoryId, name },
  target: { name: packageName },
  before,
  after,
});

const stored = ({ file, size, blob }: PackageFile): Fields => ({ name: file, size, sha256: blob.sha256 });

/** The change of a publication: its files, and those that it replaces. */
export const publicationChange = (
  { repository, name, version, files, tags, tagItems = [] }: PackagePublication,
  known: Known,
): Change => {
  const moved = [...(tags ?? []), ...tagItems];
  const replaced = known.files.filter((file) => file !== undefined && file.deletedAt === undefined);
  const published = files.map(({ name: file, received: { size, hashes } }) => ({
    name: file,
    size,
    sha256: hashes.sha256,
  }));
  return packageChange(
    'package.published',
    repository,
    name,
    replaced.length > 0 ? { version, files: replaced.map((file) => stored(file as PackageFile)) } : null,
    { version, files: published, ...(moved.length > 0 && { tags: moved }) },
  );
};

/** The change of a deletion: what one transaction removes. A version whose last files go is gone. */
export const removalChange = (repository: Repository, name: string, removals: readonly Removal[]): Change =>
  packageChange(
    'package.deleted',
    repository,
    name,
    {
      versions: removals.map(({ version: { version }, files, isWhole }) => ({
        version,
        isWhole,
        files: files.map(stored),
      })),
    },
    null,
  );
