import { bestEffort } from '../../observability/best-effort.ts';
import type { Table } from '../../table/client.ts';
import type { IdentityMap } from '../../table/identity-map.ts';
import { compactIndex, needsCompaction } from '../index/compaction.ts';
import type { PackagePublication } from './publication.ts';
import { type Published, storePublication } from './publication-store.ts';

/**
 * Publishes files of a version as `storePublication` does, and then writes a new snapshot of each index that needs one. What only fetches
 * files changes no index.
 */
export const publish = async (
  table: Table,
  publication: PackagePublication,
  read?: IdentityMap,
): Promise<Published> => {
  const { changed, ...published } = await storePublication(table, publication, read);
  // The next change of an index repeats a compaction that failed.
  for (const { ref, head } of changed)
    if (needsCompaction(head)) await bestEffort(compactIndex(table, publication.repository.workspaceId, ref));
  return published;
};
