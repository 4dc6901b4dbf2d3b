import { decodeSegments, withoutDots } from '../../shared/packages/sources/path-segments.ts';
import type { FileAddress } from '../../shared/packages/sources/resolution.ts';
import { type DebianBuild, type DebianPlace, fileNameOf, isPlace, readFileName, withoutEpoch } from './names.ts';

/** The documents of a distribution that name its others by their hashes, and the signature of the second one. */
export type EntryName = 'InRelease' | 'Release' | 'Release.gpg';

/** A package file, or another one that no Release names. `path` is its path as it was asked for, decoded. */
export interface DebianFile extends FileAddress {
  readonly kind: 'file';
  readonly path: string;
}

/** A document by its hash. Its directory is that in which its plain name would be. */
export interface DocumentByHash extends FileAddress {
  readonly kind: 'hashed';
  readonly directory: string;
}

/** The meaning of a path below `/debian/{workspace}/{repository}/`. Directories are paths without a slash at their ends. */
export type DebianPath =
  | { readonly kind: 'entry'; readonly directory: string; readonly entry: EntryName }
  | { readonly kind: 'document'; readonly directory: string; readonly file: string }
  | { readonly kind: 'key' }
  | { readonly kind: 'unknown' }
  | DocumentByHash
  | DebianFile;

const unknown: DebianPath = { kind: 'unknown' };

/** The names under which documents, and files whose names say no package, are cached: no package has them. */
export const documentsName = '@documents';
const filesName = '@files';

/** A version in its place, as keys have it: builds that differ in nothing but their epoch have one file name, and are one version. */
export const versionKey = (
  { distribution, component }: DebianPlace,
  { version, architecture }: Omit<DebianBuild, 'name'>,
): string => `${distribution}/${component}/${withoutEpoch(version)}_${architecture}`;

/** The place and the architecture of such a version. */
export const placeOf = (version: string): DebianPlace & { readonly architecture: string } => {
  const [distribution = '', component = ''] = version.split('/');
  return { distribution, component, architecture: version.slice(version.lastIndexOf('_') + 1) };
};

/** The path of the file of a build, from the root of the repository. */
export const poolPath = ({ distribution, component }: DebianPlace, build: DebianBuild): string =>
  `pool/${distribution}/${component}/${fileNameOf(build)}`;

/** The address of a document by its hash. */
export const hashedDocument = (directory: string, hash: string): DocumentByHash => ({
  kind: 'hashed',
  directory,
  name: documentsName,
  version: directory === '' ? '-' : directory,
  file: hash,
});

/** Files in the pool are versions by the directories below it; those elsewhere have a dot in front of theirs. */
const fileIn = (directories: readonly string[], file: string): DebianFile => {
  const below = directories[0] === 'pool' ? directories.slice(1) : ['.', ...directories];
  const path = [...directories, file].join('/');
  const build = readFileName(file);
  if (!build) return { kind: 'file', name: filesName, version: below.join('/') || '-', file, path };
  const version = [...below, `${build.version}_${build.architecture}`].join('/');
  return { kind: 'file', name: build.name, version, file, path };
};

const isEntry = (file: string): file is EntryName => ['InRelease', 'Release', 'Release.gpg'].includes(file);

/** The documents that are beside their packages in a repository without distributions. */
const isFlatDocument = (file: string): boolean => /^(?:Packages|Sources|Contents)(?:\.[a-z0-9]+)?$/.test(file);

const hashedIn = (directories: readonly string[], hash: string): DebianPath => {
  const [kind, algorithm] = directories.slice(-2);
  if (kind !== 'by-hash') return unknown;
  const isHash = algorithm === 'SHA256' ? /^[0-9a-f]{64}$/ : algorithm === 'SHA512' ? /^[0-9a-f]{128}$/ : undefined;
  return isHash?.test(hash) ? hashedDocument(directories.slice(0, -2).join('/'), hash) : unknown;
};

/** How many directories a path has at most. */
const directoriesMax = 12;

/** Parses the tail of a path exactly as the client sent it, still percent-encoded. apt sends the `./` of its own line and of a list. */
export const parsePath = (rawTail: string): DebianPath => {
  const plain = withoutDots(rawTail);
  const segments = decodeSegments(plain) ?? [];
  const [file, directories] = [segments.at(-1) ?? '', segments.slice(0, -1)];
  if (file === '' || directories.length > directoriesMax) return unknown;
  if (plain === 'key.asc') return { kind: 'key' };
  if (directories.includes('by-hash')) return hashedIn(directories, file);
  const [directory, isInDistribution] = [directories.join('/'), directories[0] === 'dists'];
  if (isEntry(file) && directories[0] !== 'pool') return { kind: 'entry', directory, entry: file };
  if (isInDistribution || isFlatDocument(file)) return { kind: 'document', directory, file };
  return fileIn(directories, file);
};

/** The distribution of such a directory; undefined if a local repository can have none there. */
export const distributionIn = (directory: string): string | undefined => {
  const [dists, distribution = '', ...others] = directory.split('/');
  const isOne = dists === 'dists' && others.length === 0 && isPlace({ distribution, component: 'main' });
  return isOne ? distribution : undefined;
};

/** The distribution of a document, and the path by which its Release names it; undefined if a local repository can have none there. */
export const listedIn = (
  directory: string,
  file: string,
): { readonly distribution: string; readonly path: string } | undefined => {
  const [dists, name = '', ...others] = directory.split('/');
  const distribution = distributionIn(`${dists}/${name}`);
  return distribution === undefined ? undefined : { distribution, path: [...others, file].join('/') };
};
