import type { VersionOrder } from '../../shared/table/repositories/advisories.ts';
import { compareTexts } from '../../shared/text-order.ts';

/**
 * The versions of Composer, in the form that Composer\Semver gives them: `v1.0` is 1.0.0.0, `1.x-dev` is
 * 1.9999999.9999999.9999999-dev. `npm run test:orders` compares this with Composer\Semver itself.
 */

/** The maximum length of a version: it is in keys, paths and the names of files. */
export const versionLengthMax = 150;

/** What may follow the numbers: a stability with a number, and `dev`. */
export const modifiers = String.raw`[._-]?(?:(stable|beta|b|RC|alpha|a|patch|pl|p)((?:[.-]?\d)*)?)?([.-]?dev)?`;
const classical = new RegExp(String.raw`^v?(\d{1,5})(\.\d+)?(\.\d+)?(\.\d+)?${modifiers}$`, 'i');
const dated = new RegExp(String.raw`^v?(\d{4}(?:[.:-]?\d{2}){1,6}(?:[.:-]?\d{1,3})?)${modifiers}$`, 'i');
const branch = /^v?(\d+)(\.(?:\d+|[xX*]))?(\.(?:\d+|[xX*]))?(\.(?:\d+|[xX*]))?$/i;

const stabilities: Readonly<Record<string, string>> = { a: 'alpha', b: 'beta', p: 'patch', pl: 'patch', rc: 'RC' };

const expanded = (stability: string): string => {
  const lower = stability.toLowerCase();
  return stabilities[lower] ?? lower;
};

/** The numbers of a version with its modifiers, in their normal form. */
const modified = (
  numbers: string,
  [stability = '', number = '', dev = '']: readonly (string | undefined)[],
): string => {
  if (stability === 'stable') return numbers;
  const suffix = stability === '' ? '' : `-${expanded(stability)}${number.replace(/^[.-]+/, '')}`;
  return `${numbers}${suffix}${dev === '' ? '' : '-dev'}`;
};

/** The normal form of a branch; undefined if its name does not consist of numbers. */
const numericBranch = (name: string): string | undefined => {
  const groups = branch.exec(name)?.slice(1, 5);
  if (!groups) return undefined;
  const numbers = groups
    .map((group: string | undefined) => group ?? '.x')
    .map((group) => group.replaceAll(/[*X]/g, 'x'))
    .join('');
  return `${numbers.replaceAll('x', '9999999')}-dev`;
};

const withoutFlags = (text: string): string => {
  const [, plain = text] = /^([^,\s]+) +as +[^,\s]+$/.exec(text) ?? [];
  return plain.replace(/@(?:stable|RC|beta|alpha|dev)$/i, '');
};

const withoutBuild = (text: string): string => /^([^,\s+]+)\+\S+$/.exec(text)?.[1] ?? text;

/** The normal form of a version as Composer\Semver has it; undefined if Composer does not know such a version. */
export const normalForm = (version: string): string | undefined => {
  const text = withoutFlags(version.trim());
  if (['master', 'trunk', 'default'].includes(text)) return `dev-${text}`;
  if (/^dev-/i.test(text)) return `dev-${text.slice('dev-'.length)}`;
  const plain = withoutBuild(text);
  const numbered = classical.exec(plain);
  if (numbered) {
    const [, major = '', minor = '.0', patch = '.0', fourth = '.0'] = numbered;
    return modified(major + minor + patch + fourth, numbered.slice(5));
  }
  const timed = dated.exec(plain);
  if (timed) return modified((timed[1] ?? '').replaceAll(/\D/g, '.'), timed.slice(2));
  const [, name] = /^(.*?)[.-]?dev$/i.exec(plain) ?? [];
  return name === undefined ? undefined : numericBranch(name.trim());
};

/** The normal form of a version that is stored or asked for; undefined if it is none, or too long. */
export const normalize = (version: string): string | undefined =>
  version.length > versionLengthMax ? undefined : normalForm(version);

/** A blank or a comma would end the version in a constraint. */
const forbidden = /[\s,|<>=!*^~#@\\"'\p{C}]/u;

/** The normal form of a version; undefined if no constraint could name it. */
export const nameableVersion = (version: string): string | undefined =>
  forbidden.test(version) ? undefined : normalize(version);

/** A branch of numbers as it is written: its normal form is filled up. */
const withoutNines = (normalized: string): string => {
  const suffix = '.9999999';
  let end = normalized.length - '-dev'.length;
  if (!normalized.endsWith(`${suffix}-dev`)) return normalized;
  while (normalized.endsWith(suffix, end)) end -= suffix.length;
  return `${normalized.slice(0, end)}.x-dev`;
};

/**
 * The short form of a normal form, by which a version is stored and found: 1.0.0.0 is 1.0.0, and 1.9999999.9999999.9999999-dev is
 * 1.x-dev. What may be a date keeps its zero: 2010-01-02 is another version than 2010.01.02.
 */
export const versionOf = (normalized: string): string => {
  if (normalized.startsWith('dev-')) return normalized;
  const [, numbers, rest = ''] = /^(\d+\.\d+\.\d+)\.0(-.*)?$/.exec(normalized) ?? [];
  if (numbers !== undefined && !dated.test(numbers)) return numbers + rest;
  return withoutNines(normalized);
};

/** The same of a version in any spelling; undefined if Composer does not know such a version. */
export const storedVersionOf = (text: string): string | undefined => {
  const normalized = normalize(text);
  return normalized === undefined ? undefined : versionOf(normalized);
};

/** Whether a version is one of development, which only projects of that stability see: it is in a document of its own. */
export const isDevelopment = (version: string): boolean => version.startsWith('dev-') || version.endsWith('-dev');

/** The words of versions, lowest first; `#` is any number. A text is the first word that it begins with. */
const words = [
  ['dev', 0],
  ['alpha', 1],
  ['a', 1],
  ['beta', 2],
  ['b', 2],
  ['RC', 3],
  ['rc', 3],
  ['#', 4],
  ['pl', 5],
  ['p', 5],
] as const;

const rankOf = (part: string): number => words.find(([word]) => part.startsWith(word))?.[1] ?? -1;

const isNumber = (part: string): boolean => /^\d/.test(part);

/** The parts of a version as version_compare of PHP has them: numbers and texts, whatever stands between them. */
const partsOf = (version: string): readonly string[] => version.match(/\d+|[A-Za-z]+/g) ?? [];

const compareNumbers = (one: string, other: string): number => {
  const [first, second] = [one.replace(/^0+(?=\d)/, ''), other.replace(/^0+(?=\d)/, '')];
  return first.length - second.length || compareTexts(first, second);
};

const comparePart = (one = '#', other = '#'): number =>
  isNumber(one) && isNumber(other)
    ? compareNumbers(one, other)
    : rankOf(isNumber(one) ? '#' : one) - rankOf(isNumber(other) ? '#' : other);

/** What a version with further parts is, compared with one without them. */
const compareRest = (part: string): number => (isNumber(part) ? 1 : comparePart(part));

/** The order of two normal forms as in `Composer\Semver`, which orders branches before all numbers. Two branches are ordered by name. */
export const compareNormalized = (one: string, other: string): number => {
  const [first, second] = [partsOf(one), partsOf(other)];
  const length = Math.min(first.length, second.length);
  if (one.startsWith('dev-') && other.startsWith('dev-')) return compareTexts(one, other);
  for (let at = 0; at < length; at += 1) {
    const order = comparePart(first[at], second[at]);
    if (order !== 0) return order;
  }
  const [more, less] = [first[length], second[length]];
  if (more !== undefined) return compareRest(more);
  return less === undefined ? 0 : -compareRest(less);
};

/**
 * The order of versions for advisories; undefined if a text is no version. A branch is equal to itself and has no order: to Composer it is in no
 * range.
 */
export const order: VersionOrder = (one, other) => {
  const [first, second] = [normalize(one), normalize(other)];
  if (first === undefined || second === undefined) return undefined;
  if (first !== second && (first.startsWith('dev-') || second.startsWith('dev-'))) return undefined;
  return compareNormalized(first, second);
};
