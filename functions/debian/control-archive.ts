import { Readable } from 'node:stream';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { XzReadableStream } from 'xz-decompress';
import { readTar } from '../../shared/packages/formats/tar-archive.ts';
import { type ControlArchive, damaged, type ReadableFile, readControlArchive } from './archive-members.ts';

/** The maximum size of the metadata before compression, and of the text among them that describes the package, in bytes. */
const [inflatedBytesMax, controlBytesMax] = [32_000_000, 1_000_000];

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text is UTF-8 or, where it is not, Latin-1. */
const decoded = (bytes: Buffer): string => {
  try {
    return utf8.decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
};

/** What xz compressed. The library refuses dictionaries that take hundreds of megabytes. */
const unpackXz = async (packed: Buffer): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of new XzReadableStream(new Blob([new Uint8Array(packed)]).stream())) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > inflatedBytesMax) throw new Error('It is too long.');
  }
  return Buffer.concat(chunks);
};

const unpacked = async ({ compression, bytes }: ControlArchive): Promise<Buffer> => {
  const limits = { maxOutputLength: inflatedBytesMax };
  try {
    if (compression === '.gz') return gunzipSync(bytes, limits);
    if (compression === '.zst') return zstdDecompressSync(bytes, limits);
    return compression === '.xz' ? await unpackXz(bytes) : bytes;
  } catch (error) {
    throw damaged(
      `its control.tar${compression} cannot be unpacked, or has more than ${inflatedBytesMax} bytes`,
      error,
    );
  }
};

/** The text of the file `control` in a package file. It reads the metadata alone. Throws a FormatProblem. */
export const readControlText = async (file: ReadableFile): Promise<string> => {
  const archive = await unpacked(await readControlArchive(file));
  const kept: Buffer[] = [];
  let found = 0;
  await readTar(Readable.from([archive]), {
    word: 'control.tar of the package',
    visit: ({ name, type, size }) => {
      if (name.replace(/^\.\//, '') !== 'control' || type !== 'file') return undefined;
      found += 1;
      if (size > controlBytesMax) throw damaged(`its file control has more than ${controlBytesMax} bytes`);
      return kept;
    },
  });
  if (found !== 1) throw damaged('its control.tar must have one file named control');
  return decoded(Buffer.concat(kept));
};
