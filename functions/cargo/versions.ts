import { comparePrecedence, type OrderedVersion } from '../../shared/packages/formats/semver-order.ts';
import type { VersionOrder } from '../../shared/table/repositories/advisories.ts';

/** The grammar of SemVer 2.0.0 (semver.org). Cargo takes no other text for a version. */
const number = '0|[1-9][0-9]*';
const prerelease = `(?:${number}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)`;
const build = '[0-9A-Za-z-]+';
const pattern = new RegExp(
  String.raw`^(?<release>(?:(?:${number})\.){2}(?:${number}))(?:-(?<prerelease>${prerelease}(?:\.${prerelease})*))?(?:\+${build}(?:\.${build})*)?$`,
);

/** A version and the name of a crate are parts of a file name, which has at most 255 bytes. */
const lengthMax = 150;

/** Numbers of Cargo have 64 bits. */
const isNumber = (digits: string): boolean => BigInt(digits) >> 64n === 0n;

const parse = (text: string): OrderedVersion | undefined => {
  const groups = pattern.exec(text)?.groups;
  if (!groups || text.length > lengthMax) return undefined;
  const numbers = groups.release?.split('.') ?? [];
  return numbers.every(isNumber) ? { numbers, prerelease: groups.prerelease?.split('.') ?? [] } : undefined;
};

/** Whether a text is a version. */
export const isVersion = (text: string): boolean => parse(text) !== undefined;

/** A version without its build metadata: versions that differ only in that are the same. */
export const versionOf = (text: string): string => text.replace(/\+.*$/s, '');

/** The order of two versions by their precedence: negative if the first one is lower. A text that is no version is lowest. */
export const compareVersions = (one: string, other: string): number => {
  const [first, second] = [parse(one), parse(other)];
  if (!first || !second) return Number(Boolean(first)) - Number(Boolean(second));
  return comparePrecedence(first, second);
};

/** The order of versions for advisories; undefined if a text is no version. */
export const order: VersionOrder = (one, other) =>
  isVersion(one) && isVersion(other) ? compareVersions(one, other) : undefined;
