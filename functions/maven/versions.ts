import type { VersionOrder } from '../../shared/table/repositories/advisories.ts';
import { compareTexts } from '../../shared/text-order.ts';

/** A part of a version: a number, a qualifier, or the list behind a hyphen or between letters and digits. */
type Part = bigint | string | readonly Part[];

/** The qualifiers that have a place in the order, lowest first; the empty one is the release. All others come after them. */
const qualifiers = ['alpha', 'beta', 'milestone', 'rc', 'snapshot', '', 'sp'];
const aliases = new Map([
  ['ga', ''],
  ['final', ''],
  ['release', ''],
  ['cr', 'rc'],
]);
const abbreviations = new Map([
  ['a', 'alpha'],
  ['b', 'beta'],
  ['m', 'milestone'],
]);

/** A longer version is compared by its beginning. Each hyphen nests a list, so a long one could exhaust the stack. */
const comparedLengthMax = 256;

/** A text whose alphabetical order is that of qualifiers. */
const rankOf = (qualifier: string): string => {
  const known = qualifiers.indexOf(aliases.get(qualifier) ?? qualifier);
  return known === -1 ? `${qualifiers.length}-${qualifier}` : `${known}`;
};

const releaseRank = rankOf('');

const isList = (part: Part): part is readonly Part[] => Array.isArray(part);

/** Whether a part at the end changes nothing: `1`, `1.0` and `1-ga` are equal. */
const isVoid = (part: Part): boolean => {
  if (typeof part === 'bigint') return part === 0n;
  return isList(part) ? part.length === 0 : rankOf(part) === releaseRank;
};

/** Leaves out the void parts at the end of a list. A list at the end is kept, and the void parts before it are left out. */
const trimmed = (parts: readonly Part[]): readonly Part[] => {
  const kept: Part[] = [];
  let isEnd = true;
  for (const part of parts.toReversed()) {
    if (isEnd && isVoid(part)) continue;
    isEnd &&= isList(part);
    kept.unshift(part);
  }
  return kept;
};

/** A token of a version, and what follows it: a dot, a hyphen, or nothing between letters and digits. */
interface Token {
  readonly text: string;
  readonly end: string;
}

/** Splits a version at dots, at hyphens, and between letters and digits. Two separators in a row have an empty token between them. */
const tokensOf = (version: string): Token[] =>
  Array.from(version.matchAll(/(\d+|[^\d.-]+|)([.-]?)/g), ([, text = '', end = '']) => ({ text, end })).filter(
    ({ text, end }) => text !== '' || end !== '',
  );

const partOf = ({ text, end }: Token, following: string): Part => {
  if (text === '') return 0n;
  if (/^\d/.test(text)) return BigInt(text);
  const isBeforeDigit = end === '' && /^\d/.test(following);
  return (isBeforeDigit && abbreviations.get(text)) || text;
};

const listOf = (tokens: readonly Token[]): readonly Part[] => {
  const parts: Part[] = [];
  for (const [index, token] of tokens.entries()) {
    // A qualifier before a number or at the end counts as if a hyphen stood before it.
    const isNested = parts.length > 0 && token.end === '' && /^[^\d]/.test(token.text);
    if (!isNested) parts.push(partOf(token, tokens[index + 1]?.text ?? ''));
    if (token.end === '.') continue;
    // A hyphen, or a change between letters and digits, nests all that follows.
    const rest = tokens.slice(isNested ? index : index + 1);
    if (rest.length > 0) parts.push(listOf(rest));
    break;
  }
  return trimmed(parts);
};

const parse = (version: string): readonly Part[] => listOf(tokensOf(version.slice(0, comparedLengthMax).toLowerCase()));

/** Numbers come after lists, and lists after qualifiers: 1-sp < 1-1 < 1.1. */
const kindOf = (part: Part): number => {
  if (typeof part === 'string') return 0;
  return isList(part) ? 1 : 2;
};

/** How a part compares with the end of a version. */
const compareWithEnd = (part: Part): number => {
  if (typeof part === 'bigint') return Number(part > 0n);
  if (typeof part === 'string') return compareTexts(rankOf(part), releaseRank);
  for (const each of part) {
    const order = compareWithEnd(each);
    if (order !== 0) return order;
  }
  return 0;
};

const compareParts = (one: Part | undefined, other: Part | undefined): number => {
  if (one === undefined) return other === undefined ? 0 : -compareWithEnd(other);
  if (other === undefined) return compareWithEnd(one);
  if (typeof one === 'bigint' && typeof other === 'bigint') return Number(one > other) - Number(one < other);
  if (typeof one === 'string' && typeof other === 'string') return compareTexts(rankOf(one), rankOf(other));
  if (isList(one) && isList(other)) return compareLists(one, other);
  return kindOf(one) - kindOf(other);
};

const compareLists = (one: readonly Part[], other: readonly Part[]): number => {
  for (let index = 0; index < Math.max(one.length, other.length); index += 1) {
    const order = compareParts(one[index], other[index]);
    if (order !== 0) return order;
  }
  return 0;
};

/** Compares two versions as `org.apache.maven.artifact.versioning.ComparableVersion` of Maven 3 does. */
export const compareVersions = (one: string, other: string): number =>
  Math.sign(compareLists(parse(one), parse(other)));

/** The versions in the order of Maven, lowest first. Versions that Maven takes for equal are in alphabetical order. */
export const sortVersions = (versions: Iterable<string>): string[] =>
  Array.from(versions, (version) => ({ version, parts: parse(version) }))
    .toSorted((one, other) => compareLists(one.parts, other.parts) || compareTexts(one.version, other.version))
    .map(({ version }) => version);

/** The order of versions for advisories: every text is a version. */
export const order: VersionOrder = compareVersions;
