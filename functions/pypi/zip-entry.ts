import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import { FormatProblem, malformed } from '../../shared/packages/format-problem.ts';
import type { ReceivedFile } from '../../shared/store/receiving.ts';
import { metadataBytesMax } from './core-metadata.ts';

/** The bytes that one call of the store reads: the directory of a wheel with 10,000 files has about a megabyte. */
const windowBytes = 1024 * 1024;

const entriesMax = 100_000;

type RangedFile = Pick<ReceivedFile, 'size' | 'read'>;

/** Reads a file by ranges, each of which is a call of the store for a large file. It keeps the last range. */
class RangedReader extends RandomAccessReader {
  private readonly file: RangedFile;
  private kept = { start: 0, bytes: new Uint8Array() };
  /** The failure of the store, which is no problem of the archive. */
  failure: unknown;

  constructor(file: RangedFile) {
    super();
    this.file = file;
  }

  override read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    const fill = async (): Promise<Error | null> => {
      let done = 0;
      for await (const piece of this.pieces(position, position + length)) {
        target.set(piece, offset + done);
        done += piece.length;
      }
      return done === length ? null : new Error('The archive ends early.');
    };
    // Outside the promise, so that an error of the callback is not mistaken for one of the store.
    void fill().then(
      (problem) => setImmediate(callback, problem),
      (error: unknown) => setImmediate(callback, error as Error),
    );
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.pieces(start, end));
  }

  /** The bytes from `start` to `end`, or to the end of the file. */
  private async *pieces(start: number, end: number): AsyncGenerator<Uint8Array> {
    for (let at = start; at < Math.min(end, this.file.size); ) {
      if (at < this.kept.start || at >= this.kept.start + this.kept.bytes.length) await this.load(at);
      const piece = this.kept.bytes.subarray(at - this.kept.start, end - this.kept.start);
      yield piece;
      at += piece.length;
    }
  }

  private async load(start: number): Promise<void> {
    try {
      const bytes = await this.file.read([start, Math.min(this.file.size, start + windowBytes) - 1]);
      if (bytes.length === 0) throw new Error('The store returned nothing.');
      this.kept = { start, bytes: new Uint8Array(bytes) };
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }
}

/**
 * Returns the one file of a zip archive whose path fits. It reads the directory at the end of the archive and that file. A
 * label begins each refusal.
 */
export const readZipEntry = async (
  file: RangedFile,
  { path, what, label }: { readonly path: RegExp; readonly what: string; readonly label: string },
): Promise<Uint8Array> => {
  const reader = new RangedReader(file);
  try {
    const zip = await fromRandomAccessReaderPromise(reader, file.size, { autoClose: false });
    if (zip.entryCount > entriesMax) throw malformed(`${label} has more than ${entriesMax} files.`);
    const [entry, ...others] = await matching(zip, path);
    if (!entry || others.length > 0) throw malformed(`${label} must contain one file ${what}.`);
    if (entry.uncompressedSize > metadataBytesMax)
      throw malformed(`${what} in ${label} has more than ${metadataBytesMax} bytes.`);
    // yauzl checks that an entry has no more bytes than the directory says.
    return await buffer(await zip.openReadStreamPromise(entry));
  } catch (error) {
    if (reader.failure !== undefined) throw reader.failure;
    if (error instanceof FormatProblem) throw error;
    throw malformed(`${label} is not a zip archive, or it is damaged.`, error);
  }
};

const matching = async (zip: ZipFile, path: RegExp): Promise<readonly Entry[]> => {
  const found: Entry[] = [];
  for await (const entry of zip.eachEntry()) if (path.test(entry.fileName)) found.push(entry);
  return found;
};
