import { malformed } from '../../shared/packages/formats/format-problem.ts';
import type { ReceivedFile } from '../../shared/store/received-file.ts';

/** A member of an archive: its name, and where its bytes are in the file. */
interface Member {
  readonly name: string;
  readonly start: number;
  readonly size: number;
}

/** The part of a package file that is read: ranges of its bytes. */
export type ReadableFile = Pick<ReceivedFile, 'size' | 'read'>;

const magic = '!<arch>\n';
const headerBytes = 60;

/** The most members in front of the metadata: there are two, and others are for programs to come. */
const membersMax = 10;

/** The maximum size of the compressed metadata in bytes: with the scripts and the list of files they have less than one megabyte. */
export const controlBytesMax = 8_000_000;

/** The problem of a file that is no package, or is damaged. */
export const damaged = (what: string, cause?: unknown): Error =>
  malformed(
    `The file is no package of Debian, or is damaged: ${what}. Build it with dpkg-deb, and send all of it.`,
    cause,
  );

const readBytes = async (file: ReadableFile, start: number, length: number): Promise<Buffer> => {
  if (start + length > file.size) throw damaged('it ends too early');
  if (length === 0) return Buffer.alloc(0);
  return Buffer.from(await file.read([start, start + length - 1]));
};

/** The header of a member: its name in 16 characters, its size in ten, from 48, and two that end it. */
const memberAt = async (file: ReadableFile, at: number): Promise<Member> => {
  const header = (await readBytes(file, at, headerBytes)).toString('latin1');
  const [, digits] = /^(\d{1,10}) *$/.exec(header.slice(48, 58)) ?? [];
  if (digits === undefined || header.slice(58) !== '`\n') throw damaged('the header of a member cannot be read');
  const name = header.slice(0, 16).trimEnd().replace(/\/$/, '');
  const [start, size] = [at + headerBytes, Number(digits)];
  if (start + size > file.size) throw damaged(`its member ${name} ends too early`);
  return { name, start, size };
};

/** Members begin at even places. */
const behind = ({ start, size }: Member): number => start + size + (size % 2);

const requireVersion = async (file: ReadableFile, member: Member): Promise<void> => {
  const isFirst = member.name === 'debian-binary' && member.size <= 100;
  const text = isFirst ? (await readBytes(file, member.start, member.size)).toString('latin1') : '';
  if (!/^2\.\d+\n/.test(text)) throw damaged('it does not begin with debian-binary of version 2');
};

/** The archive of the metadata of a package, and what compresses it. */
export interface ControlArchive {
  readonly compression: '' | '.gz' | '.xz' | '.zst';
  readonly bytes: Buffer;
}

/**
 * Reads the archive of the metadata of a package file (deb(5), ar(5)). The payload behind it is not read, but all of it must be there.
 * Throws a FormatProblem.
 */
export const readControlArchive = async (file: ReadableFile): Promise<ControlArchive> => {
  if (file.size < magic.length || (await readBytes(file, 0, magic.length)).toString('latin1') !== magic)
    throw damaged(`it does not begin with ${magic.trim()}`);
  const first = await memberAt(file, magic.length);
  await requireVersion(file, first);
  let member = await memberAt(file, behind(first));
  for (let count = 2; member.name.startsWith('_') && count < membersMax; count += 1)
    member = await memberAt(file, behind(member));
  const [, compression] = /^control\.tar(|\.gz|\.xz|\.zst)$/.exec(member.name) ?? [];
  if (compression === undefined)
    throw damaged('its second member is no control.tar, plain or compressed by gzip, xz or zstd');
  if (member.size > controlBytesMax) throw damaged(`its ${member.name} has more than ${controlBytesMax} bytes`);
  const data = await memberAt(file, behind(member));
  if (!/^data\.tar(?:\.[a-z0-9]+)?$/.test(data.name)) throw damaged(`no data.tar follows its ${member.name}`);
  const bytes = await readBytes(file, member.start, member.size);
  return { compression: compression as ControlArchive['compression'], bytes };
};
