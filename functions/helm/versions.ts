/** The longest version that helm reads (Masterminds/semver, MaxVersionLen). */
const lengthMax = 256;

/** Numbers of a version are unsigned integers of 64 bits. */
const numberMax = '18446744073709551615';

const prerelease = String.raw`(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)`;
const build = '[0-9A-Za-z-]+';
const tail = `(?:-(?<prerelease>${prerelease}(?:\\.${prerelease})*))?(?:\\+${build}(?:\\.${build})*)?$`;

/** As Masterminds/semver reads versions: with `v`, with one or two numbers, and with zeros in front of a number. */
const loose = new RegExp(`^v?(?<major>\\d+)(?:\\.(?<minor>\\d+))?(?:\\.(?<patch>\\d+))?${tail}`);

/** A number without the zeros in front of it, so that the longer text is the larger number. */
const numberOf = (digits: string): string => digits.replace(/^0+(?=\d)/, '');

const isNumber = (digits: string): boolean =>
  digits.length < numberMax.length || (digits.length === numberMax.length && digits <= numberMax);

/** What the order of versions depends on. Build metadata is no part of it. */
export interface ParsedVersion {
  /** Major, minor and patch, each as digits. */
  readonly numbers: readonly string[];
  readonly prerelease: readonly string[];
}

/** Parses a version as helm does; undefined if helm refuses it. */
export const parseVersion = (text: string): ParsedVersion | undefined => {
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

const compareNumbers = (one: string, other: string): number =>
  one.length - other.length || (one < other ? -1 : Number(one > other));

const isNumeric = (identifier: string): boolean => /^\d+$/.test(identifier) && isNumber(identifier);

/** A missing identifier comes first, then numbers in their order, then texts in that of ASCII. */
const compareIdentifiers = (one: string | undefined, other: string | undefined): number => {
  if (one === other) return 0;
  if (one === undefined || other === undefined) return one === undefined ? -1 : 1;
  const [isOneNumeric, isOtherNumeric] = [isNumeric(one), isNumeric(other)];
  if (isOneNumeric && isOtherNumeric) return compareNumbers(one, other);
  if (isOneNumeric !== isOtherNumeric) return isOneNumeric ? -1 : 1;
  return one < other ? -1 : 1;
};

/** The order of SemVer 2 as helm applies it: negative if the first version is the older one. */
export const compareVersions = (one: ParsedVersion, other: ParsedVersion): number => {
  for (const [index, number] of one.numbers.entries()) {
    const order = compareNumbers(number, other.numbers[index] ?? '0');
    if (order !== 0) return order;
  }
  // A prerelease is older than its release.
  if (one.prerelease.length === 0 || other.prerelease.length === 0)
    return Number(one.prerelease.length === 0) - Number(other.prerelease.length === 0);
  for (let index = 0; index < Math.max(one.prerelease.length, other.prerelease.length); index += 1) {
    const order = compareIdentifiers(one.prerelease[index], other.prerelease[index]);
    if (order !== 0) return order;
  }
  return 0;
};
