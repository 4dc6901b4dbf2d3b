import { fileInMemory } from '../../store/received-file.ts';
import type { Table } from '../../table/client.ts';
import { referToBlob, releaseBlob } from '../../table/packages/blobs.ts';
import { mergedChangeKept, snapshotTaken } from '../../table/packages/head-writes.ts';
import type { IndexHead } from '../../table/packages/package-index.ts';
import { type IndexRef, indexChangeKey } from '../../table/packages/package-keys.ts';
import type { Write } from '../../table/writes.ts';
import { storeBlob } from '../blobs/blob-storage.ts';
import type { IndexEntry } from './index-entry.ts';
import { newestOf, overlaid, type PendingChange, readIndex, withoutSnapshot } from './package-index.ts';
import { packSnapshot, readSnapshot } from './snapshot.ts';

/** The number of changes since the last snapshot that leads to a new one. */
const changesPerSnapshot = 64;

/** A transaction takes at most 100 actions and 4 MB, and two actions move a change. */
const changesPerWrite = 50;
const bytesPerWrite = 3_000_000;

/** Whether an index needs a new snapshot. */
export const needsCompaction = (head: IndexHead | undefined): boolean =>
  head !== undefined && head.revision - (head.snapshot?.revision ?? 0) >= changesPerSnapshot;

/**
 * Writes a new snapshot of an index, if it needs one. It may fail, be repeated, or run twice at the same time: only one
 * of two snapshots is kept. The changes that it merges stay in the table until the next compaction, because a parallel
 * reader may have read the old head and still needs them. Then the newest of each version is moved to where no reader looks
 * unless the store has lost the snapshot.
 */
export const compactIndex = async (table: Table, workspaceId: string, ref: IndexRef): Promise<void> => {
  const found = await readIndex(table, ref);
  if (!found || !needsCompaction(found.head)) return;
  const { head, changes } = found;
  const before = head.snapshot;
  const base = before && (await readSnapshot(table, before));
  const mergedBefore = new Set(base?.merged);
  const isLost = before !== undefined && base === undefined;
  const entries = isLost
    ? await withoutSnapshot(table, found)
    : overlaid(base?.entries ?? new Map<string, IndexEntry>(), changes);
  const merged = changes.map(({ changeId }) => changeId).filter((changeId) => !mergedBefore.has(changeId));
  const blob = await storeBlob(table, workspaceId, fileInMemory(await packSnapshot({ entries, merged })));
  const refusal = await table.writeUnrecorded([
    snapshotTaken(ref, head, blob),
    referToBlob(blob),
    ...(before ? releaseBlob(before) : []),
  ]);
  if (refusal) return;
  await moveNewest(
    table,
    ref,
    changes.filter(({ changeId }) => mergedBefore.has(changeId)),
  );
};

/** Moves the newest change of each version beside the index, where the one that it replaces lay. The older ones go. */
const moveNewest = async (table: Table, ref: IndexRef, changes: readonly PendingChange[]): Promise<void> => {
  const newest = new Set(newestOf(changes).values());
  const moved = (each: PendingChange): Write[] => {
    const removal = { remove: indexChangeKey(ref, each.changeId) };
    return newest.has(each) ? [mergedChangeKept(ref, each.change), removal] : [removal];
  };
  for (const batch of batchesOf(changes)) await writeAccepted(table, batch.flatMap(moved));
};

/** Writes in one transaction what is not refused. A refused change has nothing to add: a later one is kept already. */
const writeAccepted = async (table: Table, writes: readonly Write[]): Promise<void> => {
  const refusal = await table.writeUnrecorded(writes);
  if (refusal)
    await writeAccepted(
      table,
      writes.filter((_, position) => !refusal[position]),
    );
};

const batchesOf = (changes: readonly PendingChange[]): PendingChange[][] => {
  const batches: PendingChange[][] = [];
  let bytes = 0;
  for (const each of changes) {
    const last = batches.at(-1);
    const isFull = !last || last.length === changesPerWrite || bytes + each.change.parts.length > bytesPerWrite;
    bytes = (isFull ? 0 : bytes) + each.change.parts.length;
    if (isFull) batches.push([each]);
    else last.push(each);
  }
  return batches;
};
