import { basename } from 'node:path/posix';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { type Entry, fromRandomAccessReaderPromise, type ZipFile } from 'yauzl';
import { FormatProblem, malformed } from '../../shared/packages/formats/format-problem.ts';
import { WindowReader, type ZippedFile } from '../../shared/packages/formats/zip-archive.ts';

/** The bounds of an archive: osv.dev has 229,000 entries of npm, of a few kilobytes each. */
export const archiveBounds = {
  entries: 2_000_000,
  entryBytes: 4 * 1024 * 1024,
  bytes: 8 * 1024 * 1024 * 1024,
  /** All entries may have so many times the bytes of the archive: deflate makes their JSON some ten times smaller. */
  ratio: 200,
} as const;

/** An archive of entries, each in a file that is called after it. */
export interface Archive {
  /** The IDs of the entries. */
  readonly ids: ReadonlySet<string>;
  /** The entries from a position on, in the order of the archive. */
  readonly from: (position: number) => AsyncGenerator<ArchivedEntry>;
}

interface ArchivedEntry {
  readonly path: string;
  readonly read: () => Promise<Buffer>;
}

/** Whether a text is the ID of an entry, which is also a part of an address. */
export const isEntryId = (id: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(id);

const idIn = ({ fileName, uncompressedSize }: Entry): string => {
  const id = basename(fileName, '.json');
  if (!isEntryId(id) || fileName !== `${id}.json`)
    throw malformed(`The archive has '${fileName}', which is no entry of osv.dev.`);
  if (uncompressedSize <= archiveBounds.entryBytes) return id;
  throw malformed(`${fileName} in the archive has more than ${archiveBounds.entryBytes} bytes.`);
};

/** The IDs of all entries. Throws a FormatProblem if the archive is out of bounds. */
const idsIn = async (zip: ZipFile, size: number): Promise<ReadonlySet<string>> => {
  const { entries, bytes, ratio } = archiveBounds;
  if (zip.entryCount > entries) throw malformed(`The archive has more than ${entries} entries.`);
  const ids = new Set<string>();
  let sum = 0;
  for await (const entry of zip.eachEntry()) {
    const id = idIn(entry);
    if (ids.has(id)) throw malformed(`The archive has the entry ${id} twice.`);
    ids.add(id);
    sum += entry.uncompressedSize;
    if (sum > Math.min(bytes, size * ratio))
      throw malformed(`The entries of the archive have more than ${Math.min(bytes, size * ratio)} bytes.`);
  }
  if (ids.size === 0) throw malformed('The archive has no entries.');
  return ids;
};

const contentOf = async (zip: ZipFile, entry: Entry): Promise<Buffer> => {
  if (!entry.canDecodeFileData())
    throw malformed(`${entry.fileName} in the archive is encrypted, or compressed in an unknown way.`);
  const content = await buffer(await zip.openReadStreamPromise(entry));
  if (crc32(content) !== entry.crc32) throw malformed(`${entry.fileName} in the archive is damaged.`);
  return content;
};

/** Reads within an archive. Throws the problem of a damaged one; an error of the store is passed on unchanged. */
const reading = async <T>(reader: WindowReader, read: () => Promise<T>): Promise<T> => {
  try {
    return await read();
  } catch (error) {
    if (reader.failure !== undefined) throw reader.failure;
    if (error instanceof FormatProblem) throw error;
    throw malformed('The file is no zip archive, or it is cut off or damaged.', error);
  }
};

/** Opens an archive of any size in bounded memory, and looks at its directory. Throws a FormatProblem if it cannot be imported. */
export const openArchive = async (file: ZippedFile): Promise<Archive> => {
  const reader = new WindowReader(file);
  const open = async () => fromRandomAccessReaderPromise(reader, file.size, { autoClose: false });
  const ids = await reading(reader, async () => idsIn(await open(), file.size));
  async function* from(position: number): AsyncGenerator<ArchivedEntry> {
    const zip = await reading(reader, open);
    let at = 0;
    for await (const entry of zip.eachEntry()) {
      if (at >= position)
        yield { path: entry.fileName, read: async () => reading(reader, async () => contentOf(zip, entry)) };
      at += 1;
    }
  }
  return { ids, from };
};
