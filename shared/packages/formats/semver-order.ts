import { compareNumbers, compareTexts } from '../../text-order.ts';

/** What the order of versions of SemVer depends on. Build metadata is no part of it. */
export interface OrderedVersion {
  /** Major, minor and patch: digits without zeros in front, because no size limits them. */
  readonly numbers: readonly string[];
  /** Its identifiers; empty for a release. */
  readonly prerelease: readonly string[];
}

const isDigits = (identifier: string): boolean => /^\d+$/.test(identifier);

/** Numbers come before texts. */
const compareIdentifiers = (one: string, other: string, isNumber: (identifier: string) => boolean): number => {
  const [isOneNumber, isOtherNumber] = [isNumber(one), isNumber(other)];
  if (isOneNumber !== isOtherNumber) return isOneNumber ? -1 : 1;
  return isOneNumber ? compareNumbers(one, other) : compareTexts(one, other);
};

/**
 * The precedence of SemVer 2.0.0 (semver.org, item 11): negative if the first version is the lower one. `isNumber` says which identifiers of
 * a prerelease are numbers.
 */
export const comparePrecedence = (one: OrderedVersion, other: OrderedVersion, isNumber = isDigits): number => {
  for (const [at, number] of one.numbers.entries()) {
    const order = compareNumbers(number, other.numbers[at] ?? '0');
    if (order !== 0) return order;
  }
  // A release comes after its prereleases.
  if (one.prerelease.length === 0 || other.prerelease.length === 0)
    return other.prerelease.length - one.prerelease.length;
  for (const [at, identifier] of one.prerelease.entries()) {
    const opposite = other.prerelease[at];
    const order = opposite === undefined ? 1 : compareIdentifiers(identifier, opposite, isNumber);
    if (order !== 0) return order;
  }
  return one.prerelease.length - other.prerelease.length;
};
