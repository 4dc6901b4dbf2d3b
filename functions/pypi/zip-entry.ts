import { buffer } from 'node:stream/consumers';
import { type Entry, fromRandomAccessReaderPromise, type ZipFile } from 'yauzl';
import { FormatProblem, malformed } from '../../shared/packages/format-problem.ts';
import { WindowReader, type ZippedFile } from '../../shared/packages/zip-archive.ts';
import { metadataBytesMax } from './core-metadata.ts';

const entriesMax = 100_000;

/**
 * Returns the one file of a zip archive whose path fits. It reads the directory at the end of the archive and that file. A
 * label begins each refusal.
 */
export const readZipEntry = async (
  file: ZippedFile,
  { path, what, label }: { readonly path: RegExp; readonly what: string; readonly label: string },
): Promise<Uint8Array> => {
  const reader = new WindowReader(file);
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
