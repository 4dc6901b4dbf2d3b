import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { BoundedCache } from '../bounded-cache.ts';
import { ApiError } from '../errors.ts';
import { blobObjectKey } from '../store/keys.ts';
import { readObject } from '../store/objects.ts';
import type { BlobRef } from '../table/blobs.ts';
import type { IndexEntry } from './index-entry.ts';

/** The entries of an index as of some change, and the changes that were merged since the snapshot before. */
export interface Snapshot {
  readonly entries: ReadonlyMap<string, IndexEntry>;
  readonly merged: readonly string[];
}

/** Entries as lines, their parts apart by a character that no text of an index holds: no part is parsed to be passed on. */
const separator = '\u0001';

const lineOf = ({ version, revision, isRemoved, parts }: IndexEntry): string =>
  [version, revision, isRemoved ? 'removed' : '', ...parts].join(separator);

const entryOf = (line: string): IndexEntry => {
  const [version = '', revision, removed, ...parts] = line.split(separator);
  return { version, revision: Number(revision), ...(removed === 'removed' && { isRemoved: true as const }), parts };
};

/** Refuses texts that could not be told from the frame of a snapshot. */
export const checkParts = (parts: readonly string[]): void => {
  if (parts.some((part) => part.includes(separator) || part.includes('\n')))
    throw new Error('A part of an index entry holds a character that separates entries.');
};

/** A snapshot as its blob holds it: gzipped, because an index of 10,000 versions is as compressible as it is long. */
export const packSnapshot = async ({ entries, merged }: Snapshot): Promise<Buffer> => {
  const lines = [merged.join(separator), ...Array.from(entries.values(), lineOf)];
  return promisify(gzip)(lines.join('\n'), { level: 4 });
};

const unpackSnapshot = async (bytes: Uint8Array): Promise<Snapshot> => {
  const [merged = '', ...lines] = (await promisify(gunzip)(bytes)).toString().split('\n');
  const entries = lines.map(entryOf);
  return {
    merged: merged === '' ? [] : merged.split(separator),
    entries: new Map(entries.map((entry) => [entry.version, entry])),
  };
};

/** Snapshots never change, so a process may keep those that it read; few, because each may be tens of megabytes. */
const known = new BoundedCache<Snapshot>(8);

/** Reads a snapshot. */
export const readSnapshot = async (blob: BlobRef, signal: AbortSignal): Promise<Snapshot> => {
  const key = blobObjectKey(blob);
  const cached = known.get(key);
  if (cached) return cached;
  const bytes = await readObject(key, signal);
  // A snapshot is released when the next one stands, and its object goes a day later: somebody is very late.
  if (!bytes) throw new ApiError('SERVICE_UNAVAILABLE');
  const snapshot = await unpackSnapshot(bytes);
  known.set(key, snapshot);
  return snapshot;
};
