import { chunksOf } from '../../chunks.ts';
import { ApiError } from '../../errors.ts';
import type { Table } from '../../table/client.ts';
import type { IndexName } from '../../table/packages/package-index.ts';
import { type IndexRef, packageNameAt, packagesList, versionsList } from '../../table/packages/package-keys.ts';
import { isLive, type PackageVersion } from '../../table/packages/packages.ts';
import { queryAll } from '../../table/query-pages.ts';
import type { IndexEntry } from './index-entry.ts';
import { entryAddress } from './index-listing.ts';

/** How many packages are looked at in parallel. */
const packagesAtOnce = 20;

const namesIn = async (table: Table, { contentId, name }: IndexRef): Promise<readonly string[]> =>
  name === undefined
    ? (await queryAll(table, packagesList(contentId))).map(({ position }) => packageNameAt(position))
    : [name];

const nameOf = ({ name, index }: IndexRef): IndexName => (name === undefined ? (index ?? 'repository') : 'package');

/** The revision of the entry that a version has in an index; undefined if it has none. One without names is in the index that is looked for. */
const revisionIn = ({ indexes, revision }: PackageVersion, index: IndexName): number | undefined => {
  if (indexes) return indexes[index]?.revision;
  return index === 'package' || index === 'repository' ? revision : undefined;
};

/**
 * The index, rebuilt from the entries that the table still has, after the store lost the snapshot. Each version says the revision of
 * its entry, so an index that would lack a version or show an old entry is not shown: throws CONTENT_LOST. A removed entry has
 * no texts, and needs no more than the tombstone of its version.
 */
export const rebuiltEntries = async (
  table: Table,
  ref: IndexRef,
  found: ReadonlyMap<string, IndexEntry>,
): Promise<ReadonlyMap<string, IndexEntry>> => {
  const entries = new Map(found);
  const { contentId } = ref;
  const index = nameOf(ref);
  for (const names of chunksOf(await namesIn(table, ref), packagesAtOnce))
    await Promise.all(
      names.map(async (name) => {
        for (const { item } of await queryAll(table, versionsList({ contentId, name }))) {
          const { entry } = entryAddress({ contentId, name }, item.version, index);
          const revision = revisionIn(item, index);
          if (revision === undefined || (entries.get(entry)?.revision ?? 0) >= revision) continue;
          if (isLive(item)) throw lostIndex();
          entries.set(entry, { version: entry, revision, isRemoved: true, parts: [] });
        }
      }),
    );
  return entries;
};

const lostIndex = (): ApiError =>
  new ApiError(
    'CONTENT_LOST',
    'The stored index is lost, and cannot be rebuilt. Ask the operator to restore its object.',
  );
