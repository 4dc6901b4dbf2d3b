import { gunzipSync, gzipSync } from 'node:zlib';
import type { Table } from '../../table/client.ts';
import { heldBy, type Key } from '../../table/keys.ts';
import type { IndexChange, IndexHead } from '../../table/packages/package-index.ts';
import {
  type IndexRef,
  indexChangeKey,
  indexHeadKey,
  indexList,
  mergedChangesList,
  type PackageRef,
  packageHeadKey,
} from '../../table/packages/package-keys.ts';
import { type PackageHead, tagsOf } from '../../table/packages/packages.ts';
import { queryAll, queryPages } from '../../table/query-pages.ts';
import { requireEntrySize, tooLarge } from './entry-bounds.ts';
import type { IndexEntry } from './index-entry.ts';
import { rebuiltEntries } from './index-rebuild.ts';
import { readSnapshot } from './snapshot.ts';

/** The index of a package in one repository: its versions that are not deleted, and its tags. */
export interface LoadedIndex {
  readonly head: PackageHead;
  readonly entries: ReadonlyMap<string, IndexEntry>;
  readonly tags: Readonly<Record<string, string>>;
}

/** An index, read as far as the table has it. */
export interface FoundIndex<H extends IndexHead = IndexHead> {
  readonly ref: IndexRef;
  readonly head: H;
  readonly changes: readonly PendingChange[];
}

/** A change of the index, still packed. The snapshot may or may not contain it. */
export interface PendingChange {
  readonly changeId: string;
  readonly change: IndexChange;
}

/** The maximum size of the parts of an entry after compression. DynamoDB takes items of 400 KiB, keys and names included. */
const packedBytesMax = 400_000;

/** The parts of an entry in the form of the table: gzipped JSON. Throws PACKAGE_INVALID if they are too large for it, or for a reader. */
export const packParts = (parts: readonly string[]): Uint8Array => {
  requireEntrySize(parts);
  const packed = gzipSync(JSON.stringify(parts));
  if (packed.length > packedBytesMax)
    throw tooLarge('The metadata of the version, compressed,', packed.length, packedBytesMax);
  return packed;
};

const entryOf = ({ version, revision, isRemoved, parts }: IndexChange): IndexEntry => ({
  version,
  revision,
  ...(isRemoved && { isRemoved }),
  parts: JSON.parse(gunzipSync(parts).toString()) as string[],
});

const readWithHead = async <H extends IndexHead>(
  table: Table,
  ref: IndexRef,
  headKey: Key<H>,
): Promise<FoundIndex<H> | undefined> => {
  const list = indexList(ref);
  let head: H | undefined;
  const changes: PendingChange[] = [];
  for await (const items of queryPages(table, list))
    for (const { position, item } of items)
      if (position === '') head = heldBy(headKey, item);
      else {
        const change = heldBy(indexChangeKey(ref, position), item);
        if (change) changes.push({ changeId: position.slice(1), change });
      }
  return head && { ref, head, changes };
};

/** Reads the head of an index and its changes, with one query for each megabyte; undefined if there is no such index. */
export const readIndex = async (table: Table, ref: IndexRef): Promise<FoundIndex | undefined> =>
  readWithHead(table, ref, indexHeadKey(ref));

/** As `readIndex`, with the head of a package. */
export const readChanges = async (table: Table, ref: PackageRef): Promise<FoundIndex<PackageHead> | undefined> =>
  readWithHead(table, ref, packageHeadKey(ref));

/** The newest change of each version. */
export const newestOf = (changes: readonly PendingChange[]): ReadonlyMap<string, PendingChange> => {
  const newest = new Map<string, PendingChange>();
  for (const each of changes) {
    const { version, revision } = each.change;
    if ((newest.get(version)?.change.revision ?? -1) < revision) newest.set(version, each);
  }
  return newest;
};

/** The newest entry of each version, removed ones included. */
export const overlaid = (
  entries: ReadonlyMap<string, IndexEntry>,
  changes: readonly PendingChange[],
): ReadonlyMap<string, IndexEntry> => {
  if (changes.length === 0) return entries;
  const merged = new Map(entries);
  for (const [version, { change }] of newestOf(changes))
    if ((entries.get(version)?.revision ?? -1) < change.revision) merged.set(version, entryOf(change));
  return merged;
};

const withoutRemoved = (entries: ReadonlyMap<string, IndexEntry>): ReadonlyMap<string, IndexEntry> => {
  const live = Array.from(entries).filter(([, { isRemoved }]) => !isRemoved);
  return live.length === entries.size ? entries : new Map(live);
};

/** The entries of an index, removed ones included. It reads the snapshot, if there is one. Throws CONTENT_LOST. */
export const entriesOf = async (table: Table, found: FoundIndex): Promise<ReadonlyMap<string, IndexEntry>> => {
  const { snapshot: blob } = found.head;
  if (!blob) return overlaid(new Map(), found.changes);
  const snapshot = await readSnapshot(table, blob);
  return snapshot ? overlaid(snapshot.entries, found.changes) : withoutSnapshot(table, found);
};

/** The entries of an index whose snapshot the store has lost, from its merged changes. Throws CONTENT_LOST. */
export const withoutSnapshot = async (
  table: Table,
  { ref, changes }: FoundIndex,
): Promise<ReadonlyMap<string, IndexEntry>> =>
  rebuiltEntries(table, ref, overlaid(await mergedEntries(table, ref), changes));

const mergedEntries = async (table: Table, ref: IndexRef): Promise<ReadonlyMap<string, IndexEntry>> => {
  const merged = await queryAll(table, mergedChangesList(ref));
  return overlaid(
    new Map(),
    merged.map(({ position, item }) => ({ changeId: position, change: item })),
  );
};

/** Makes the index from a head and the changes that were read with it. It reads the snapshot, if there is one. */
export const indexOf = async (table: Table, found: FoundIndex<PackageHead>): Promise<LoadedIndex> => ({
  head: found.head,
  entries: withoutRemoved(await entriesOf(table, found)),
  tags: tagsOf(found.head),
});

/** Reads the index of a package, with every acknowledged change; undefined if the repository never had the package. */
export const loadIndex = async (table: Table, ref: PackageRef): Promise<LoadedIndex | undefined> => {
  const found = await readChanges(table, ref);
  return found && indexOf(table, found);
};
