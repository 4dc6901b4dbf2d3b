import { comparePrecedence, type OrderedVersion } from '../../shared/packages/formats/semver-order.ts';

/** The longest version that helm reads (Masterminds/semver, MaxVersionLen). */
const lengthMax = 256;

const prerelease = String.raw`(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)`;
const build = '[0-9A-Za-z-]+';
const tail = `(?:-(?<prerelease>${prerelease}(?:\\.${prerelease})*))?(?:\\+${build}(?:\\.${build})*)?$`;

/** As Masterminds/semver reads versions: with `v`, with one or two numbers, and with zeros in front of a number. */
const loose = new RegExp(`^v?(?<major>\\d+)(?:\\.(?<minor>\\d+))?(?:\\.(?<patch>\\d+))?${tail}`);

/** A number without the zeros in front of it, so that the longer text is the larger number. */
const numberOf = (digits: string): string => digits.replace(/^0+(?=\d)/, '');

/** Numbers of a version are unsigned integers of 64 bits. */
const isNumber = (digits: string): boolean => BigInt(digits) >> 64n === 0n;

/** Parses a version as helm does; undefined if helm refuses it. */
export const parseVersion = (text: string): OrderedVersion | undefined => {
  const groups = text.length <= lengthMax ? loose.exec(text)?.groups : undefined;
  if (!groups) return undefined;
  const numbers = [groups.major, groups.minor, groups.patch].map((digits = '0') => numberOf(digits));
  return numbers.every(isNumber) ? { numbers, prerelease: groups.prerelease?.split('.') ?? [] } : undefined;
};

/**
 * Whether a text is a version of SemVer 2, with or without a leading `v`. This is the grammar of new versions. Charts such as
 * cert-manager have the `v`, and helm takes it.
 */
export const isFullVersion = (text: string): boolean =>
  /^v?(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:[-+]|$)/.test(text) && parseVersion(text) !== undefined;

/** The version that all spellings of one have in common: with three numbers, and without `v`; undefined if helm refuses it. */
export const filledVersion = (text: string): string | undefined => {
  const parsed = parseVersion(text);
  if (!parsed) return undefined;
  const suffix = parsed.prerelease.length > 0 ? `-${parsed.prerelease.join('.')}` : '';
  const metadata = text.includes('+') ? text.slice(text.indexOf('+')) : '';
  return parsed.numbers.join('.') + suffix + metadata;
};

/** A larger number is a text for helm. */
const isNumeric = (identifier: string): boolean => /^\d+$/.test(identifier) && isNumber(identifier);

/** The order of SemVer 2 as helm applies it: negative if the first version is the older one. */
export const compareVersions = (one: OrderedVersion, other: OrderedVersion): number =>
  comparePrecedence(one, other, isNumeric);
