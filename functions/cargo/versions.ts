import type { VersionOrder } from '../../shared/table/repositories/advisories.ts';

/** The grammar of SemVer 2.0.0 (semver.org). Cargo takes no other text for a version. */
const number = '0|[1-9][0-9]*';
const prerelease = `(?:${number}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)`;
const build = '[0-9A-Za-z-]+';
const pattern = new RegExp(
  String.raw`^(?<release>(?:(?:${number})\.){2}(?:${number}))(?:-(?<prerelease>${prerelease}(?:\.${prerelease})*))?(?:\+${build}(?:\.${build})*)?$`,
);

/** Numbers of Cargo have 64 bits. */
const numberMax = '18446744073709551615';

/** A version and the name of a crate are parts of a file name, which has at most 255 bytes. */
const lengthMax = 150;

interface Version {
  readonly release: readonly string[];
  readonly prerelease: readonly string[];
}

const parse = (text: string): Version | undefined => {
  const groups = pattern.exec(text)?.groups;
  if (!groups || text.length > lengthMax) return undefined;
  const release = groups.release?.split('.') ?? [];
  if (release.some((part) => compareNumbers(part, numberMax) > 0)) return undefined;
  return { release, prerelease: groups.prerelease?.split('.') ?? [] };
};

/** Numbers without leading zeros, of any size. */
const compareNumbers = (one: string, other: string): number => one.length - other.length || compareTexts(one, other);

const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const isNumber = (identifier: string): boolean => /^[0-9]+$/.test(identifier);

const compareIdentifiers = (one: string, other: string): number => {
  if (isNumber(one) && isNumber(other)) return compareNumbers(one, other);
  if (isNumber(one) !== isNumber(other)) return isNumber(one) ? -1 : 1;
  return compareTexts(one, other);
};

const comparePrereleases = (one: readonly string[], other: readonly string[]): number => {
  // A release comes after its prereleases.
  if (one.length === 0 || other.length === 0) return other.length - one.length;
  for (const [at, identifier] of one.entries()) {
    const opposite = other[at];
    const order = opposite === undefined ? 1 : compareIdentifiers(identifier, opposite);
    if (order !== 0) return order;
  }
  return one.length - other.length;
};

/** Whether a text is a version. */
export const isVersion = (text: string): boolean => parse(text) !== undefined;

/** A version without its build metadata: versions that differ only in that are the same. */
export const versionOf = (text: string): string => text.replace(/\+.*$/s, '');

/** The order of two versions by their precedence: negative if the first one is lower. A text that is no version is lowest. */
export const compareVersions = (one: string, other: string): number => {
  const [first, second] = [parse(one), parse(other)];
  if (!first || !second) return Number(Boolean(first)) - Number(Boolean(second));
  for (const [at, part] of first.release.entries()) {
    const order = compareNumbers(part, second.release[at] ?? '0');
    if (order !== 0) return order;
  }
  return comparePrereleases(first.prerelease, second.prerelease);
};

/** The order of versions for advisories; undefined if a text is no version. */
export const order: VersionOrder = (one, other) =>
  isVersion(one) && isVersion(other) ? compareVersions(one, other) : undefined;
