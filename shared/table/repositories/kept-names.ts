import type { Table } from '../client.ts';
import { repositoryKey } from '../keys.ts';
import { type PackageRef, packageEntryKey, packageHeadKey } from '../packages/package-keys.ts';
import type { PendingContentSweep } from '../queues/content-sweeps.ts';
import { insertion } from '../writes.ts';
import { contentIdOf, type Repository } from './repositories.ts';
import { namesTaken, sameContent } from './repository-content.ts';

/** The repository whose names outlive a content; undefined if none do. */
const keeperOf = async (
  table: Table,
  { workspaceId, repositoryId }: PendingContentSweep,
): Promise<Repository | undefined> => {
  if (repositoryId === undefined) return undefined;
  const key = repositoryKey(workspaceId, repositoryId);
  return (await table.read([key])).find(key);
};

/**
 * Leaves the name of a package of an emptied local repository as that of a deleted package, so that no upstream is asked for it. Returns
 * whether that is done: not if another request emptied the repository meanwhile.
 */
export const keepName = async (
  table: Table,
  sweep: PendingContentSweep,
  { name, displayName }: Pick<PackageRef, 'name'> & { readonly displayName: string },
): Promise<boolean> => {
  const repository = await keeperOf(table, sweep);
  if (!repository) return true;
  const ref = { contentId: contentIdOf(repository), name };
  const now = new Date().toISOString();
  const head = { displayName, createdAt: now, updatedAt: now, revision: 0, versionCount: 0, sizeInBytes: 0 };
  const refusal = await table.writeUnrecorded([
    sameContent(repository),
    insertion(packageHeadKey(ref), head),
    insertion(packageEntryKey(ref), { displayName, isEmpty: true }),
  ]);
  // The repository may have a package of this name again.
  return !refusal?.[0];
};

/** The writes that end the search of a local repository for names in a content that it was emptied of. */
export const namesKept = async (table: Table, sweep: PendingContentSweep) => {
  const repository = await keeperOf(table, sweep);
  return repository ? [namesTaken(repository, sweep.contentId)] : [];
};
