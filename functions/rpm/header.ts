import { malformed } from '../../shared/packages/formats/format-problem.ts';
import type { ReceivedFile } from '../../shared/store/received-file.ts';

/** The values of the tags in a header. Text is UTF-8 or, where it is not, Latin-1; numbers of 64 bits are rounded. */
export interface Header {
  readonly has: (tag: number) => boolean;
  /** The first text of a tag; empty if it is absent. */
  readonly text: (tag: number) => string;
  readonly texts: (tag: number) => readonly string[];
  readonly numbers: (tag: number) => readonly number[];
}

/** A header in its file: its content, and its place in bytes from the start of the file. */
interface PlacedHeader {
  readonly header: Header;
  readonly start: number;
  readonly end: number;
}

/** The two headers of a package file: that of the signature, and that of the package. */
export interface PackageHeaders {
  readonly signature: Header;
  readonly header: Header;
  /** Where the header of the package is in the file. */
  readonly start: number;
  readonly end: number;
}

const leadBytes = 96;
const introBytes = 16;
const entryBytes = 16;

/** The most that a header may have: rpm itself takes 64 MB, a kernel with all modules needs 2. */
const headerBytesMax = 16 * 1024 * 1024;
const entriesMax = 10_000;

/** The first bytes of a file, which have the lead, the signature and the introduction of most headers. */
const windowBytes = 64 * 1024;

/** The most values of a tag: no package has so many files. */
const valuesMax = 250_000;

const textTypes: ReadonlySet<number> = new Set([6, 8, 9]);

/** The sizes of numbers by their types. */
const numberBytes: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8 };

const damaged = (what: string): Error =>
  malformed(`The file is no package of rpm, or is damaged: ${what}. Build it with rpmbuild, and send all of it.`);

interface Entry {
  readonly type: number;
  readonly offset: number;
  readonly count: number;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const decoded = (bytes: Buffer): string => {
  try {
    return utf8.decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
};

/** Reads texts, each of which ends with a zero byte. */
const textsAt = (data: Buffer, { offset, count }: Entry): string[] => {
  const texts: string[] = [];
  for (let at = offset; texts.length < count; ) {
    const end = data.indexOf(0, at);
    if (end < 0) throw damaged('a text of its header has no end');
    texts.push(decoded(data.subarray(at, end)));
    at = end + 1;
  }
  return texts;
};

const numberAt = (data: Buffer, at: number, bytes: number): number =>
  bytes === 8 ? Number(data.readBigUInt64BE(at)) : data.readUIntBE(at, bytes);

const numbersAt = (data: Buffer, { type, offset, count }: Entry): number[] => {
  const bytes = numberBytes[type] ?? 0;
  return Array.from({ length: count }, (_, index) => numberAt(data, offset + index * bytes, bytes));
};

/** The bytes that the value of an entry takes at least. */
const bytesOf = ({ type, count }: Entry): number => count * (numberBytes[type] ?? 1);

const requireEntry = (tag: number, entry: Entry, dataBytes: number): void => {
  if (entry.type > 9) throw damaged(`tag ${tag} of its header has the unknown type ${entry.type}`);
  if (entry.offset + bytesOf(entry) > dataBytes) throw damaged(`tag ${tag} of its header ends beyond the header`);
};

const entriesIn = (index: Buffer, dataBytes: number): ReadonlyMap<number, Entry> => {
  const entries = new Map<number, Entry>();
  for (let at = 0; at < index.length; at += entryBytes) {
    const tag = index.readUInt32BE(at);
    const [type, offset, count] = [4, 8, 12].map((field) => index.readUInt32BE(at + field)) as [number, number, number];
    const entry = { type, offset, count };
    requireEntry(tag, entry, dataBytes);
    if (entries.has(tag)) throw damaged(`its header has tag ${tag} twice`);
    entries.set(tag, entry);
  }
  return entries;
};

const headerOf = (index: Buffer, data: Buffer): Header => {
  const entries = entriesIn(index, data.length);
  const entryOf = (tag: number, isType: (type: number) => boolean, what: string): Entry | undefined => {
    const entry = entries.get(tag);
    if (entry && !isType(entry.type)) throw damaged(`tag ${tag} of its header is no ${what}`);
    if (entry && entry.count > valuesMax)
      throw malformed(`A tag of a package may have ${valuesMax} values, and has more.`);
    return entry;
  };
  const texts = (tag: number): string[] => {
    const entry = entryOf(tag, (type) => textTypes.has(type), 'text');
    return entry ? textsAt(data, entry) : [];
  };
  return {
    has: (tag) => entries.has(tag),
    text: (tag) => texts(tag)[0] ?? '',
    texts,
    numbers: (tag) => {
      const entry = entryOf(tag, (type) => numberBytes[type] !== undefined, 'number');
      return entry ? numbersAt(data, entry) : [];
    },
  };
};

type ReadPart = (start: number, length: number) => Promise<Buffer>;

/** Reads parts of a file, those at its start with one call. */
const partsOf = async (file: Pick<ReceivedFile, 'size' | 'read'>): Promise<ReadPart> => {
  const bytesIn = async (start: number, length: number) => Buffer.from(await file.read([start, start + length - 1]));
  const window = file.size === 0 ? Buffer.alloc(0) : await bytesIn(0, Math.min(file.size, windowBytes));
  return async (start, length) => {
    if (start + length > file.size) throw damaged('it ends before its header does');
    return start + length <= window.length ? window.subarray(start, start + length) : bytesIn(start, length);
  };
};

const headerMagic = Buffer.from('8eade801', 'hex');

const readHeader = async (read: ReadPart, start: number): Promise<PlacedHeader> => {
  const intro = await read(start, introBytes);
  if (!intro.subarray(0, 4).equals(headerMagic)) throw damaged('its header does not begin as headers do');
  const [count, dataBytes] = [intro.readUInt32BE(8), intro.readUInt32BE(12)];
  const indexBytes = count * entryBytes;
  if (count > entriesMax || indexBytes + dataBytes > headerBytesMax)
    throw malformed(`The header of a package may have ${entriesMax} tags and ${headerBytesMax} bytes, and has more.`);
  const bytes = indexBytes + dataBytes === 0 ? Buffer.alloc(0) : await read(start + introBytes, indexBytes + dataBytes);
  const header = headerOf(bytes.subarray(0, indexBytes), bytes.subarray(indexBytes));
  return { header, start, end: start + introBytes + bytes.length };
};

const leadMagic = Buffer.from('edabeedb', 'hex');

/** The signature is followed by zero bytes up to a multiple of eight. */
const padded = (at: number): number => Math.ceil(at / 8) * 8;

/**
 * Reads the headers of a package file, as rpm's `docs/manual/format_v4.md` describes them; the payload is never read. Throws a FormatProblem if
 * the file is no package, or if its headers are larger than itself or than the service takes.
 */
export const readHeaders = async (file: Pick<ReceivedFile, 'size' | 'read'>): Promise<PackageHeaders> => {
  const read = await partsOf(file);
  const lead = await read(0, leadBytes);
  if (!lead.subarray(0, 4).equals(leadMagic)) throw damaged('it does not begin as packages do');
  const signature = await readHeader(read, leadBytes);
  return { signature: signature.header, ...(await readHeader(read, padded(signature.end))) };
};
