import { decodeSegments } from '../../shared/packages/sources/path-segments.ts';
import type { FileAddress } from '../../shared/packages/sources/resolution.ts';
import { fileNameOf, isRpmName, type RpmName, readFileName } from './names.ts';

/** A package file. `path` is its path as it was asked for, decoded. */
export interface RpmFile extends FileAddress {
  readonly kind: 'file';
  readonly path: string;
}

/** A file beside repomd.xml, which has its hash in its name. */
export interface HashedFile extends FileAddress {
  readonly kind: 'hashed';
  readonly group: string;
}

/** The documents that name the lists of a group. */
export type EntryKind = 'repomd' | 'signature' | 'key';

/** The path of such a document. A snapshot is those of one set of lists, whatever was published since. */
export interface EntryPath {
  readonly kind: EntryKind;
  readonly group: string;
  readonly snapshot?: string;
}

/**
 * The meaning of a path below `/rpm/{workspace}/{repository}/`. A group is the path of a repository in the repository, such as
 * `el9/x86_64`; empty for the one at the root.
 */
export type RpmPath =
  | EntryPath
  | { readonly kind: 'mirrors'; readonly group: string }
  | { readonly kind: 'settings'; readonly group: string }
  | { readonly kind: 'unknown' }
  | HashedFile
  | RpmFile;

const unknown: RpmPath = { kind: 'unknown' };

/** The name under which files beside repomd.xml are cached: no package has it. */
export const repodataName = '@repodata';

const groupLengthMax = 100;

const isGroupSegment = (segment: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._+~-]*$/.test(segment);

/** The group of these directories; undefined if they are none. */
const groupOf = (directories: readonly string[]): string | undefined => {
  const group = directories.join('/');
  return group.length <= groupLengthMax && directories.every(isGroupSegment) ? group : undefined;
};

/** The group of the package files in these directories: what follows `Packages`, such as a letter, only sorts files. */
const groupOfFiles = (directories: readonly string[]): string | undefined => {
  const at = directories.lastIndexOf('Packages');
  return groupOf(at < 0 ? directories : directories.slice(0, at));
};

/** A version in its group, as keys have it: builds that differ in nothing but their epoch have one file name, and are one version. */
export const versionKey = (group: string, { version, release, arch }: Omit<RpmName, 'name'>): string =>
  `${group === '' ? '' : `${group}/`}${version}-${release}.${arch}`;

/** The group of such a version. */
export const groupOfVersion = (version: string): string => version.slice(0, Math.max(0, version.lastIndexOf('/')));

/** The address of the file of a build. */
export const addressOf = (group: string, build: RpmName): FileAddress => ({
  name: build.name,
  version: versionKey(group, build),
  file: fileNameOf(build),
});

const fileIn = (directories: readonly string[], file: string): RpmPath => {
  const [group, build] = [groupOfFiles(directories), readFileName(file)];
  if (group === undefined || !build) return unknown;
  return { kind: 'file', ...addressOf(group, build), path: [...directories, file].join('/') };
};

const entryKinds: ReadonlyMap<string, EntryKind> = new Map([
  ['repomd.xml', 'repomd'],
  ['repomd.xml.asc', 'signature'],
  ['repomd.xml.key', 'key'],
]);

/** The address of a file beside repomd.xml. */
const hashedFile = (group: string, file: string): HashedFile => ({
  kind: 'hashed',
  group,
  name: repodataName,
  version: group === '' ? '-' : group,
  file,
});

const repodataIn = (directories: readonly string[], file: string): RpmPath => {
  const group = groupOf(directories);
  if (group === undefined) return unknown;
  const kind = entryKinds.get(file);
  return kind ? { kind, group } : hashedFile(group, file);
};

/** The group and the file of the path of a package file, whose name may be any; undefined if the path is none. */
export const publishedPath = (rawTail: string): { readonly group: string } | undefined => {
  const segments = decodeSegments(rawTail) ?? [];
  const group = groupOfFiles(segments.slice(0, -1));
  const isOfPackage = segments.at(-1)?.endsWith('.rpm') && !segments.includes('repodata');
  return isOfPackage && group !== undefined ? { group } : undefined;
};

/** The address of a snapshot of a group, below that of the repository. No group has such a name. */
export const snapshotPath = (group: string, snapshot: string): string =>
  `${group === '' ? '' : `${group}/`}_snapshot/${snapshot}/`;

const snapshotOfPath = (
  segments: readonly string[],
): { readonly snapshot: string; readonly others: string[] } | undefined => {
  const at = segments.indexOf('_snapshot');
  const snapshot = segments[at + 1] ?? '';
  return at >= 0 && /^[0-9a-f]{64}$/.test(snapshot) ? { snapshot, others: segments.toSpliced(at, 2) } : undefined;
};

/** Parses the tail of a path exactly as the client sent it, still percent-encoded. What is below a snapshot is what is beside it. */
export const parsePath = (rawTail: string): RpmPath => {
  const segments = decodeSegments(rawTail) ?? [];
  const pinned = snapshotOfPath(segments);
  if (!pinned) return parseSegments(segments);
  const path = parseSegments(pinned.others);
  return path.kind === 'repomd' || path.kind === 'signature' ? { ...path, snapshot: pinned.snapshot } : path;
};

const parseSegments = (segments: readonly string[]): RpmPath => {
  const [file = '', directories] = [segments.at(-1), segments.slice(0, -1)];
  if (directories.at(-1) === 'repodata') return repodataIn(directories.slice(0, -1), file);
  if (directories.includes('repodata')) return unknown;
  if (file.endsWith('.rpm')) return fileIn(directories, file);
  const group = groupOf(directories);
  if (group === undefined) return unknown;
  if (file === 'key.asc' && group === '') return { kind: 'key', group };
  if (file === 'mirrorlist') return { kind: 'mirrors', group };
  return file.endsWith('.repo') && isRpmName(file) ? { kind: 'settings', group } : unknown;
};
