import { Readable } from 'node:stream';
import { callbackify } from 'node:util';
import yauzl from 'yauzl';
import { unavailable } from '../../shared/errors.ts';
import type { ReceivedFile } from '../../shared/store/receiving.ts';

/** The bytes that are read at once: the directory of a zip is read in pieces of some dozen bytes, and each read may be a request. */
const windowBytes = 1024 * 1024;

/** Reads a zip where it is, in memory or in the store. */
class ReceivedZip extends yauzl.RandomAccessReader {
  private readonly file: ReceivedFile;
  private window: { readonly start: number; readonly bytes: Promise<Uint8Array> } | undefined;

  constructor(file: ReceivedFile) {
    super();
    this.file = file;
  }

  override read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
    done: (error: Error | null, bytesRead?: number) => void,
  ): void {
    callbackify(async () => {
      const bytes = await this.bytesAt(position, length);
      target.set(bytes, offset);
      return bytes.length;
    })(done);
  }

  /** Streams the bytes from `start` to before `end`. */
  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.pieces(start, end));
  }

  private async *pieces(start: number, end: number): AsyncGenerator<Uint8Array> {
    for (let position = start; position < end; position += windowBytes)
      yield await this.bytesAt(position, Math.min(windowBytes, end - position));
  }

  private async bytesAt(position: number, length: number): Promise<Uint8Array> {
    const end = Math.min(position + length, this.file.size);
    if (position >= end) return new Uint8Array();
    const known = this.window;
    if (known && position >= known.start && end <= known.start + windowBytes)
      return (await known.bytes).subarray(position - known.start, end - known.start);
    // The end of a zip is read first, and then what stands before it.
    const start = end === this.file.size ? Math.max(0, Math.min(position, end - windowBytes)) : position;
    const last = Math.min(Math.max(start + windowBytes, end), this.file.size) - 1;
    const bytes = this.file.read([start, last]).catch((error: unknown) => {
      throw unavailable(error);
    });
    this.window = { start, bytes };
    return (await bytes).subarray(position - start, end - start);
  }
}

/** Opens a zip, of which nothing is read but its directory. The names of its entries stay bytes. */
export const openZip = async (file: ReceivedFile): Promise<yauzl.ZipFile> =>
  yauzl.fromRandomAccessReaderPromise(new ReceivedZip(file), file.size, { autoClose: false, decodeStrings: false });
