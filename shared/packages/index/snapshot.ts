import { BoundedCache } from '../../bounded-cache.ts';
import { gunzipped, gzipped } from '../../gzip.ts';
import { blobObjectKey } from '../../store/keys.ts';
import type { Table } from '../../table/client.ts';
import type { BlobRef } from '../../table/packages/blobs.ts';
import { readBlob } from '../blobs/stored-bytes.ts';
import type { IndexEntry } from './index-entry.ts';

/** The entries of an index at one moment, and the IDs of the changes that were merged since the previous snapshot. */
export interface Snapshot {
  readonly entries: ReadonlyMap<string, IndexEntry>;
  readonly merged: readonly string[];
}

/** Each entry is a line, and this character separates its fields. So the parts need no parsing to be copied. */
const separator = '\u0001';

const lineOf = ({ version, revision, isRemoved, parts }: IndexEntry): string =>
  [version, revision, isRemoved ? 'removed' : '', ...parts].join(separator);

const entryOf = (line: string): IndexEntry => {
  const [version = '', revision, removed, ...parts] = line.split(separator);
  return { version, revision: Number(revision), ...(removed === 'removed' && { isRemoved: true as const }), parts };
};

/** Throws an Error if a part contains a separator of the snapshot format. */
export const checkParts = (parts: readonly string[]): void => {
  if (parts.some((part) => part.includes(separator) || part.includes('\n')))
    throw new Error('A part of an index entry holds a character that separates entries.');
};

/** The bytes of a snapshot. They are gzipped, because an index of 10,000 versions is long and repetitive. */
export const packSnapshot = async ({ entries, merged }: Snapshot): Promise<Buffer> => {
  const lines = [merged.join(separator), ...Array.from(entries.values(), lineOf)];
  return gzipped(lines.join('\n'), 4);
};

const unpackSnapshot = (text: string): Snapshot => {
  const [merged = '', ...lines] = text.split('\n');
  const entries = lines.map(entryOf);
  return {
    merged: merged === '' ? [] : merged.split(separator),
    entries: new Map(entries.map((entry) => [entry.version, entry])),
  };
};

/** The snapshots that this process read last, up to 128 MB before compression. They never change. */
const known = new BoundedCache<Snapshot>(128_000_000);

/** Reads a snapshot from its blob; undefined if the store has lost it. */
export const readSnapshot = async (table: Table, blob: BlobRef): Promise<Snapshot | undefined> => {
  const key = blobObjectKey(blob);
  const cached = known.get(key);
  if (cached) return cached;
  const bytes = await readBlob(table, blob);
  if (!bytes) return undefined;
  const content = await gunzipped(bytes);
  const snapshot = unpackSnapshot(content.toString());
  known.set(key, snapshot, content.length);
  return snapshot;
};
