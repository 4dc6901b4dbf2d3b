import { createHash, hash } from 'node:crypto';
import { gzipped } from '../../gzip.ts';
import { renderedOnce } from './hashed-documents.ts';

/** About how many entries of a list are compressed together. */
const chunkEntries = 256;

/**
 * Entries in chunks: the hash of an entry says in which of them it is, so that a publication changes one chunk alone, and the others are
 * not compressed again.
 */
export const inChunks = <T extends { readonly sha256: string }>(
  entries: readonly T[],
  inOrder: (one: T, other: T) => number,
): readonly (readonly T[])[] => {
  const count = 2 ** Math.ceil(Math.log2(Math.max(1, entries.length / chunkEntries)));
  const byHash = Map.groupBy(entries, ({ sha256 }) => Number.parseInt(sha256.slice(0, 8), 16) % count);
  return Array.from(byHash)
    .toSorted(([one], [other]) => one - other)
    .map(([, chunk]) => chunk.toSorted(inOrder));
};

/** A text that was compressed, and the hashes and sizes of both. */
export interface CompressedList {
  readonly bytes: Buffer;
  readonly sha256: string;
  readonly openSha256: string;
  readonly openSize: number;
}

const sha256Of = (bytes: string | Buffer): string => hash('sha256', bytes);

/** A member of a gzip file: a file of several members is read as one. */
const memberOf = async (text: string): Promise<Buffer> =>
  renderedOnce(`gzip ${sha256Of(text)}`, async () => gzipped(text));

/** Compresses texts as one: each on its own, and only if this process has not done so before. No text is an empty one. */
export const compressedList = async (texts: readonly string[]): Promise<CompressedList> => {
  const members: Buffer[] = [];
  const open = createHash('sha256');
  let openSize = 0;
  for (const text of texts.length > 0 ? texts : ['']) {
    open.update(text);
    openSize += Buffer.byteLength(text);
    members.push(await memberOf(text));
  }
  const bytes = Buffer.concat(members);
  return { bytes, sha256: sha256Of(bytes), openSha256: open.digest('hex'), openSize };
};
