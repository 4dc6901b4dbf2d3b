import type { Table } from '../../table/client.ts';
import { fileKey } from '../../table/packages/package-keys.ts';
import { isLive, type PackageFile } from '../../table/packages/packages.ts';
import { contentIdOf, type LocalRepository } from '../../table/repositories/repositories.ts';
import { versionIdOf } from '../sources/identifiers.ts';
import type { FileAddress } from '../sources/resolution.ts';

/** What the Idempotency-Key of a request that publishes a file stands for: the version in the content of the repository. */
export const rememberedIdOf = (repository: LocalRepository, { name, version }: Omit<FileAddress, 'file'>): string =>
  versionIdOf({ contentId: contentIdOf(repository), name }, version);

/**
 * The file that an earlier request with the same Idempotency-Key published; undefined if it was deleted, if the repository was
 * emptied, or if another one is published to now.
 */
export const rememberedFile = async (
  table: Table,
  repository: LocalRepository,
  address: FileAddress,
  id: string,
): Promise<PackageFile | undefined> => {
  if (rememberedIdOf(repository, address) !== id) return undefined;
  const { name, version, file } = address;
  const key = fileKey({ contentId: contentIdOf(repository), name }, version, file);
  const found = (await table.read([key])).find(key);
  return isLive(found) ? found : undefined;
};
