import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, type Gunzip } from 'node:zlib';
import { type Extract, extract, type Header } from 'tar-stream';
import { FormatProblem, malformed } from './format-problem.ts';

/** The limits of an archive. Zeros compress to a thousandth, so the ratio is checked only for large archives. */
const limits = {
  inflatedBytesMax: 512 * 1024 * 1024,
  ratioMax: 200,
  ratioFreeBytes: 16 * 1024 * 1024,
  entriesMax: 100_000,
} as const;

/** The maximum size of an extended header (pax, or a long name of GNU), and of one for all entries, of which git writes 52 bytes. */
const [headerBytesMax, commonHeaderBytesMax] = [64 * 1024, 1024];

/** The maximum size of an archive in bytes. It is that of its content, because some content does not compress. */
export const archiveBytesMax = limits.inflatedBytesMax;

/** How a package type reads an archive: the word for it, such as `tarball`, and what becomes of each entry. */
export interface ArchiveReader {
  readonly word: string;
  /** Gets the header of an entry, and returns where its bytes go if they are kept. Throws to refuse the archive. */
  readonly visit: (header: Header) => Buffer[] | undefined;
  /** How many bytes of an entry are kept: the rest is read and forgotten. All, where `visit` looks at the size. */
  readonly keptBytesMax?: number;
}

/** Passes the inflated bytes on, up to the limits. */
const bounded = (gunzip: Gunzip, word: string) =>
  async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      const isBomb = bytes > limits.ratioFreeBytes && bytes > limits.ratioMax * gunzip.bytesWritten;
      if (isBomb) throw malformed(`The ${word} inflates to more than ${limits.ratioMax} times its size.`);
      if (bytes > limits.inflatedBytesMax)
        throw malformed(`The ${word} inflates to more than ${limits.inflatedBytesMax} bytes.`);
      yield chunk;
    }
  };

/** The part of tar-stream that reads an extended header. Its own limit is 4 MB, and it copies one for all entries for each of them. */
interface HeaderReader {
  readonly _header: { readonly type: string };
  readonly _decodeLongHeader: (bytes: Buffer) => void;
}

const boundHeaders = (archive: Extract, word: string): void => {
  const reader = archive as Extract & HeaderReader;
  const { _decodeLongHeader: decode } = reader;
  const decodeShort = (bytes: Buffer): void => {
    const { _header: header } = reader;
    const max = header.type === 'pax-global-header' ? commonHeaderBytesMax : headerBytesMax;
    if (bytes.length > max) throw malformed(`The ${word} has an extended header of more than ${max} bytes.`);
    decode.call(reader, bytes);
  };
  Object.assign(archive, { _decodeLongHeader: decodeShort });
};

/** Keeps the beginning of an entry, and reads it to its end. */
const keepBeginning = async (entry: AsyncIterable<unknown>, kept: Buffer[], bytesMax: number): Promise<void> => {
  let room = bytesMax;
  for await (const chunk of entry as AsyncIterable<Buffer>) {
    if (room > 0) kept.push(chunk.subarray(0, room));
    room -= chunk.length;
  }
};

const readEntries = async (archive: Extract, { word, visit, keptBytesMax }: ArchiveReader): Promise<void> => {
  let count = 0;
  for await (const entry of archive) {
    count += 1;
    if (count > limits.entriesMax) throw malformed(`The ${word} has more than ${limits.entriesMax} entries.`);
    const kept = visit(entry.header);
    if (kept) await keepBeginning(entry, kept, keptBytesMax ?? Number.POSITIVE_INFINITY);
    else entry.resume();
  }
};

/**
 * Reads a gzipped tar archive to its end, in bounded memory. Nothing is extracted. Throws the problem of a damaged archive; an
 * error of the source is passed on unchanged.
 */
export const readGzippedTar = async (source: Readable, reader: ArchiveReader): Promise<void> =>
  readArchive(source, reader, createGunzip());

/** The same for a tar archive that is not compressed. */
export const readTar = async (source: Readable, reader: ArchiveReader): Promise<void> => readArchive(source, reader);

const readArchive = async (source: Readable, reader: ArchiveReader, gunzip?: Gunzip): Promise<void> => {
  const { word } = reader;
  const archive = extract();
  boundHeaders(archive, word);
  let sourceError: unknown;
  let isDamaged = false;
  // The pipeline passes an error to all of its streams, so the first stream with an error is the cause.
  source.once('error', (error) => {
    if (!isDamaged) sourceError = error;
  });
  (gunzip ?? archive).once('error', () => {
    isDamaged = sourceError === undefined;
  });
  const results = await Promise.allSettled([
    readEntries(archive, reader),
    gunzip ? pipeline(source, gunzip, bounded(gunzip, word), archive) : pipeline(source, archive),
  ]);
  const errors: unknown[] = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  const problem = errors.find((error) => error instanceof FormatProblem);
  if (problem) throw problem;
  if (sourceError !== undefined) throw sourceError;
  const kind = gunzip ? 'gzipped tar archive' : 'tar archive';
  if (errors.length > 0) throw malformed(`The ${word} is not a ${kind}, or it is damaged.`, errors[0]);
};
