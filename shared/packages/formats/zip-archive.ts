import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import type { ReceivedFile } from '../../store/received-file.ts';
import { FormatProblem, malformed } from './format-problem.ts';

/** The parts of a file that reading its archive needs. */
export type ZippedFile = Pick<ReceivedFile, 'size' | 'read'>;

/** The bytes that one call of the store reads. The directory of an archive with 10,000 files has about a megabyte. */
const windowBytes = 1024 * 1024;

const entriesMax = 100_000;

/** Which files of an archive are read. */
export interface ZipWish {
  /** The word for the archive, such as `jar`. */
  readonly word: string;
  /** Whether a file is read, by its path in the archive. */
  readonly wants: (path: string) => boolean;
  /** The maximum size of all wanted files together, after decompression. */
  readonly bytesMax: number;
}

interface Window {
  readonly start: number;
  readonly bytes: Uint8Array;
}

/**
 * Gives yauzl random access to a file. It reads a window of the file at a time, because yauzl asks for a few bytes each time, and keeps two:
 * one that goes through the directory, and one that goes through the files.
 */
export class WindowReader extends RandomAccessReader {
  private readonly file: ZippedFile;
  /** The one that was used last comes first. */
  private windows: readonly Window[] = [];
  /** The failure of the store, which is no problem of the archive. */
  failure: unknown;

  constructor(file: ZippedFile) {
    super();
    this.file = file;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.pieces(start, Math.min(end, this.file.size)));
  }

  private async *pieces(start: number, end: number): AsyncGenerator<Uint8Array> {
    for (let at = start; at < end; ) {
      const window = await this.windowAt(at);
      const piece = window.bytes.subarray(at - window.start, end - window.start);
      if (piece.length === 0) return;
      yield piece;
      at += piece.length;
    }
  }

  private async windowAt(at: number): Promise<Window> {
    const found = this.windows.find(({ start, bytes }) => start <= at && at < start + bytes.length);
    const window = found ?? (await this.load(at));
    this.windows = [window, ...this.windows.filter((other) => other !== found).slice(0, 1)];
    return window;
  }

  private async load(start: number): Promise<Window> {
    const last = Math.min(this.file.size, start + windowBytes) - 1;
    try {
      return { start, bytes: await this.file.read([start, last]) };
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }
}

/**
 * Reads some files of a zip archive of any size, by their paths. It reads the directory at the end of the archive and those
 * files, and extracts nothing. Throws the problem of a damaged archive; an error of the store is passed on unchanged.
 */
export const readZip = async (file: ZippedFile, wish: ZipWish): Promise<ReadonlyMap<string, Buffer>> => {
  const reader = new WindowReader(file);
  try {
    const zip = await fromRandomAccessReaderPromise(reader, file.size, { autoClose: false });
    return await contentsOf(zip, await wantedEntries(zip, wish), wish);
  } catch (error) {
    if (reader.failure !== undefined) throw reader.failure;
    if (error instanceof FormatProblem) throw error;
    throw malformed(`The ${wish.word} is not a zip archive, or it is damaged.`, error);
  }
};

const wantedEntries = async (zip: ZipFile, { word, wants, bytesMax }: ZipWish): Promise<readonly Entry[]> => {
  if (zip.entryCount > entriesMax) throw malformed(`The ${word} has more than ${entriesMax} files.`);
  const wanted: Entry[] = [];
  for await (const entry of zip.eachEntry()) if (wants(entry.fileName)) wanted.push(entry);
  const bytes = wanted.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
  if (bytes > bytesMax) throw malformed(`${wanted[0]?.fileName ?? ''} in the ${word} has more than ${bytesMax} bytes.`);
  return wanted;
};

/** yauzl checks that no file has more bytes than the directory says. */
const contentsOf = async (
  zip: ZipFile,
  entries: readonly Entry[],
  { word }: ZipWish,
): Promise<ReadonlyMap<string, Buffer>> => {
  const contents = new Map<string, Buffer>();
  for (const entry of entries) {
    const { fileName: path } = entry;
    if (contents.has(path)) throw malformed(`The ${word} has the file ${path} twice.`);
    if (!entry.canDecodeFileData())
      throw malformed(`${path} in the ${word} is encrypted, or compressed in an unknown way.`);
    contents.set(path, await buffer(await zip.openReadStreamPromise(entry)));
  }
  return contents;
};
