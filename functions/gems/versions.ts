import type { VersionOrder } from '../../shared/table/repositories/advisories.ts';
import { compareNumbers, compareTexts } from '../../shared/text-order.ts';

/** The longest version: it is in keys, paths and the names of files. */
const lengthMax = 80;

/** Whether a text is a version as a built gem has it: `Gem::Version` writes `-` as `.pre.`. */
export const isVersion = (text: string): boolean => text.length <= lengthMax && /^\d+(?:\.[0-9A-Za-z]+)*$/.test(text);

/** Whether a version is a prerelease: it has a letter. */
export const isPrerelease = (version: string): boolean => /[A-Za-z]/.test(version);

/** Numbers and words in the order of the text. A number has no zeros in front, so that the longer text is the larger number. */
const segmentsOf = (version: string): string[] =>
  (version.match(/\d+|[A-Za-z]+/g) ?? []).map((segment) => segment.replace(/^0+(?=\d)/, ''));

const isNumber = (segment: string): boolean => /^\d/.test(segment);

const withoutZerosBehind = (segments: readonly string[]): readonly string[] =>
  segments.slice(0, segments.findLastIndex((segment) => segment !== '0') + 1);

/** The numbers before the first word, and the rest, each without zeros at its end (Gem::Version#canonical_segments). */
const canonicalParts = (version: string): readonly [readonly string[], readonly string[]] => {
  const segments = segmentsOf(version);
  const firstWord = segments.findIndex((segment) => !isNumber(segment));
  if (firstWord < 0) return [withoutZerosBehind(segments), []];
  return [withoutZerosBehind(segments.slice(0, firstWord)), withoutZerosBehind(segments.slice(firstWord))];
};

/**
 * One text for all versions that are equal when compared, such as `1.0` and `1.0.0`: the version with at least three numbers in
 * front, and with words beside the numbers behind them.
 */
export const versionKeyOf = (version: string): string => {
  const [numbers, rest] = canonicalParts(version);
  const padded = [...numbers, '0', '0', '0'].slice(0, Math.max(3, numbers.length));
  const tail = rest.map((segment, at) =>
    isNumber(segment) === isNumber(rest[at - 1] ?? '0') ? `.${segment}` : segment,
  );
  return `${padded.join('.')}${rest.length > 0 ? '.' : ''}${tail.join('')}`;
};

const compareSegments = (one: string, other: string): number => {
  if (isNumber(one) !== isNumber(other)) return isNumber(one) ? 1 : -1;
  return isNumber(one) ? compareNumbers(one, other) : compareTexts(one, other);
};

/** A version as it is compared. Who compares one with many reads it once. */
export const segmentsToCompare = (version: string): readonly string[] => {
  const [numbers, rest] = canonicalParts(version);
  return rest.length > 0 ? [...numbers, ...rest] : numbers;
};

/** The order of versions by what `segmentsToCompare` says of them. */
export const compareInSegments = (ones: readonly string[], others: readonly string[]): number => {
  for (let at = 0; at < Math.max(ones.length, others.length); at += 1) {
    const order = compareSegments(ones[at] ?? '0', others[at] ?? '0');
    if (order !== 0) return order;
  }
  return 0;
};

/** The order of `Gem::Version`: negative if the first version is the older one. A word is older than any number. */
export const compareVersions = (one: string, other: string): number =>
  compareInSegments(segmentsToCompare(one), segmentsToCompare(other));

/** The version of a gem for a platform, without that. */
const withoutPlatform = (text: string): string => text.split('-', 1)[0] ?? text;

/** The order of versions for advisories; undefined if a text is no version. */
export const order: VersionOrder = (one, other) => {
  const [first, second] = [withoutPlatform(one), withoutPlatform(other)];
  return isVersion(first) && isVersion(second) ? compareVersions(first, second) : undefined;
};
