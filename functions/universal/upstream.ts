import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import type { FileAddress } from '../../shared/packages/sources/resolution.ts';
import type { UpstreamFile } from '../../shared/packages/upstream/upstream-body.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** The URL of a file at an upstream. The URL of the remote repository has placeholders for package, version and file. */
export const upstreamFile = (
  { remoteRepositoryUrl }: RemoteRepository,
  { name, version, file }: FileAddress,
): UpstreamFile => ({
  url: remoteRepositoryUrl
    .replaceAll('{package-name}', () => encoded(name))
    .replaceAll('{version}', () => encodeURIComponent(version))
    .replaceAll('{file}', () => encodeURIComponent(file)),
  mediaType: fileMediaType,
});
