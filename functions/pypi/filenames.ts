import { isForbiddenSegment } from '../../shared/packages/sources/path-segments.ts';
import { isProjectName, normalName } from './names.ts';
import { normalVersion } from './versions.ts';

/** The files that belong to another file, by the ends of their names: PEP 658, PEP 503 and PEP 740. */
const companions = ['.metadata', '.asc', '.provenance'] as const;

/** What belongs to a file. */
export type Companion = (typeof companions)[number];

/** The version in the address of a file whose name has none. No spelling of a version is like it. */
export const unknownVersion = 'unknown';

/** A name of a file must leave room for the end of a companion's name in a segment of 255 bytes. */
const fileNameBytesMax = 240;

/** Whether a file can have an address. Keys of the table escape `#` and `%`, and would become too long. */
export const isFileName = (text: string): boolean =>
  !isForbiddenSegment(text) && !/[#%/?]/.test(text) && Buffer.byteLength(text) <= fileNameBytesMax;

/** A file name, and which companion of that file the name stands for, if it does. */
export const splitCompanion = (file: string): { readonly main: string; readonly companion?: Companion } => {
  const companion = companions.find((suffix) => file.endsWith(suffix));
  return companion ? { main: file.slice(0, -companion.length), companion } : { main: file };
};

/** A wheel (PEP 427). */
const wheel = /^(?<name>[^-]+)-(?<version>[^-]+)(?:-(?<build>\d[^-]*))?-(?<tags>[^-]+-[^-]+-[^-]+)\.whl$/;
/** An egg, as setuptools named it. */
const egg = /^(?<name>[^-]+)-(?<version>[^-]+)-py[^-]+(?:-.+)?\.egg$/;
/** A source distribution, with the endings that any index has ever had, and that pip takes. */
const sdist = /^(?<stem>.+)\.(?:tar\.(?:gz|bz2|xz|Z|lz|lzma)|tgz|tbz|txz|tlz|tar|zip)$/i;

/** The parts of the name of a file of a project. */
interface FileNameParts {
  readonly kind: 'wheel' | 'sdist' | 'egg';
  readonly version: string;
  /** What two files of one name have in common, however the name is spelled. */
  readonly identity: string;
}

/** The name of a wheel has `_` for `-`. */
const versionInWheel = (text: string): string | undefined =>
  normalVersion(text) ?? normalVersion(text.replaceAll('_', '-'));

/** Reads the name of a file of a project; undefined if the name is not one of the project, or has no version. */
export const parseFileName = (file: string, project: string): FileNameParts | undefined => {
  // A longer one has no address, and each hyphen of it may end the name of the project.
  if (file.length > fileNameBytesMax) return undefined;
  for (const [kind, pattern] of [
    ['wheel', wheel],
    ['egg', egg],
  ] as const) {
    const { name = '', version: spelled = '', build = '', tags = '' } = pattern.exec(file)?.groups ?? {};
    const version = isNameOf(name, project) ? versionInWheel(spelled) : undefined;
    if (version !== undefined)
      return { kind, version, identity: kind === 'wheel' ? [build, ...tagsOf(tags)].join('-') : file };
  }
  const stem = sdist.exec(file)?.groups?.stem;
  const version = stem === undefined ? undefined : versionOfStem(stem, project);
  return version === undefined || stem === undefined
    ? undefined
    : { kind: 'sdist', version, identity: file.slice(stem.length) };
};

const isNameOf = (text: string, project: string): boolean => isProjectName(text) && normalName(text) === project;

/** The sets of tags are compared, because `py2.py3` and `py3.py2` are the same (PEP 425). */
const tagsOf = (tags: string): string[] =>
  tags
    .toLowerCase()
    .split('-')
    .map((set) => set.split('.').toSorted().join('.'));

/** Name and version of a source distribution are separated by a hyphen, and both may contain hyphens. */
const versionOfStem = (stem: string, project: string): string | undefined => {
  for (let at = stem.indexOf('-'); at !== -1; at = stem.indexOf('-', at + 1)) {
    const version = isNameOf(stem.slice(0, at), project) ? normalVersion(stem.slice(at + 1)) : undefined;
    if (version !== undefined) return version;
  }
  return undefined;
};

/** The version in the address of a file of a project, which is that of its name. */
export const addressVersion = (file: string, project: string): string =>
  parseFileName(splitCompanion(file).main, project)?.version ?? unknownVersion;
