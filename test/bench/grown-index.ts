import { storeBlob } from '../../shared/packages/blobs/blob-storage.ts';
import type { IndexEntry } from '../../shared/packages/index/index-entry.ts';
import { overlaid, readIndex } from '../../shared/packages/index/package-index.ts';
import { packSnapshot } from '../../shared/packages/index/snapshot.ts';
import { fileInMemory } from '../../shared/store/received-file.ts';
import { Table } from '../../shared/table/client.ts';
import { referToBlob } from '../../shared/table/packages/blobs.ts';
import { type IndexRef, indexHeadKey } from '../../shared/table/packages/package-keys.ts';

/**
 * Gives an index many entries, as it is after a compaction: copies of its one entry in a snapshot, without versions and files.
 * `copyOf` returns a text of the entry as the copy of this number has it.
 */
export const growIndex = async (
  workspaceId: string,
  ref: IndexRef,
  count: number,
  copyOf: (text: string, number: number) => string,
): Promise<void> => {
  const table = new Table();
  const found = await readIndex(table, ref);
  const [entry] = overlaid(new Map<string, IndexEntry>(), found?.changes ?? []).values();
  if (!found || !entry) throw new Error('The index has no entry to copy.');
  const copies = Array.from({ length: count }, (_, number) => ({
    ...entry,
    version: copyOf(entry.version, number),
    parts: entry.parts.map((part) => copyOf(part, number)),
  }));
  const entries = new Map(copies.map((copy) => [copy.version, copy]));
  const blob = await storeBlob(table, workspaceId, fileInMemory(await packSnapshot({ entries, merged: [] })));
  await table.writeUnrecorded([
    {
      update: indexHeadKey(ref),
      set: 'SET #snapshot = :snapshot',
      values: { ':snapshot': { ...blob, revision: found.head.revision } },
    },
    referToBlob(blob),
  ]);
};
