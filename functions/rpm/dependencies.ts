import { malformed } from '../../shared/packages/formats/format-problem.ts';
import type { Header } from './header.ts';
import { type DependencyKind, dependencyTags } from './tags.ts';
import { compareVersions } from './versions.ts';

/** What a package provides, or what it says of other packages. */
export interface RpmDependency {
  readonly name: string;
  /** How the version compares: LT, GT, EQ, LE or GE; undefined for any version. */
  readonly flags: string | undefined;
  /** `epoch:version-release`, of which parts may be absent. */
  readonly evr: string;
  /** Whether a script needs it that runs before the package is installed, or right after. */
  readonly isPre: boolean;
}

/** By the bits less, greater and equal. */
const flagNames: Readonly<Record<number, string>> = { 2: 'LT', 4: 'GT', 8: 'EQ', 10: 'LE', 12: 'GE' };
const comparisonBits = 0x0f;

/** RPMSENSE_PREREQ, RPMSENSE_SCRIPT_PRE and RPMSENSE_SCRIPT_POST. */
const preBits = (1 << 6) | (1 << 9) | (1 << 10);

/** The values of tags that belong together, in rows. */
export const rowsOf = <Columns extends readonly (readonly unknown[])[]>(
  what: string,
  columns: Columns,
): { readonly [C in keyof Columns]: Columns[C] extends readonly (infer V)[] ? V : never }[] => {
  const [first = []] = columns;
  if (columns.some(({ length }) => length !== first.length))
    throw malformed(`The lists of ${what} in the header of the package differ in length: build the package anew.`);
  return first.map((_, row) => columns.map((column) => column[row])) as never;
};

/** The dependencies of a kind, as they are in the header. */
const allOf = (header: Header, kind: DependencyKind): RpmDependency[] => {
  const [names, flags, versions] = dependencyTags[kind];
  const rows = rowsOf(kind, [header.texts(names), header.numbers(flags), header.texts(versions)] as const);
  return rows.map(([name, bits, evr]) => ({
    name,
    flags: flagNames[bits & comparisonBits],
    evr,
    isPre: kind === 'requires' && (bits & preBits) !== 0,
  }));
};

const keyOf = ({ name, flags = '', evr }: RpmDependency): string => `${name}${flags}${evr}`;

/** The paths that stand in the list of all packages, so that most clients need no list of files (createrepo_c's `cr_is_primary`). */
export const isPrimary = (path: string): boolean =>
  path.startsWith('/etc/') || path === '/usr/lib/sendmail' || path.includes('bin/');

/** The version of glibc in `libc.so.6(GLIBC_2.34)(64bit)`. */
const glibcOf = ({ name }: RpmDependency): string => name.split(/[()]/)[1] ?? '';

const isGlibc = ({ name }: RpmDependency): boolean => name.startsWith('libc.so.6');

/** Of the versions of glibc that are required, the highest stands for all, at the end. */
const withOneGlibc = (required: readonly RpmDependency[]): readonly RpmDependency[] => {
  const [highest] = required.filter(isGlibc).toSorted((one, other) => compareVersions(glibcOf(other), glibcOf(one)));
  return [...required.filter((each) => !isGlibc(each)), ...(highest ? [highest] : [])];
};

/** Whether each is not the same as the last one of its name. */
const withoutRepeated = (required: readonly RpmDependency[]): readonly RpmDependency[] => {
  const last = new Map<string, string>();
  return required.filter((each) => {
    const key = `${keyOf(each)} ${each.isPre}`;
    const isRepeated = last.get(each.name) === key;
    last.set(each.name, key);
    return !isRepeated;
  });
};

/** What is left of the requirements: what the package itself provides or contains, and what only rpm must know, is left out. */
const neededOf = (
  required: readonly RpmDependency[],
  provided: readonly RpmDependency[],
  paths: ReadonlySet<string>,
): readonly RpmDependency[] => {
  const known = new Set(provided.map(keyOf));
  const isOwn = (each: RpmDependency) => known.has(keyOf(each)) || (paths.has(each.name) && isPrimary(each.name));
  const needed = required.filter((each) => !each.name.startsWith('rpmlib(') && !isOwn(each));
  return withOneGlibc(withoutRepeated(needed));
};

/** All dependencies of a package, by the rules of createrepo_c (`src/parsehdr.c`). `paths` are those of its files. */
export const dependenciesOf = (
  header: Header,
  paths: ReadonlySet<string>,
): Readonly<Record<DependencyKind, readonly RpmDependency[]>> => {
  const kinds = Object.keys(dependencyTags) as DependencyKind[];
  const all = Object.fromEntries(kinds.map((kind) => [kind, allOf(header, kind)])) as Record<
    DependencyKind,
    RpmDependency[]
  >;
  return { ...all, requires: neededOf(all.requires, all.provides, paths) };
};
