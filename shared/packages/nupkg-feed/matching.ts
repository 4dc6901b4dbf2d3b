import { compareTexts } from '../../text-order.ts';
import { nameOfId } from '../nupkg/ids.ts';
import { compareVersions, parseVersion } from '../nupkg/versions.ts';
import type { Comparison, Filter, FlagProperty, TextProperty, TextTest } from './filters.ts';

/** What is known of a version, or of a package before its versions are: what is not known is absent, and null is nothing. */
export interface KnownProperties
  extends Partial<Record<FlagProperty, boolean>>,
    Partial<Record<TextProperty, string | null>> {}

/** The order of two texts, by the rules of versions if both are versions. */
const order = (one: string, other: string, isVersion: boolean): number => {
  const [first, second] = isVersion ? [parseVersion(one), parseVersion(other)] : [];
  return first && second ? compareVersions(first, second) : compareTexts(one.toLowerCase(), other);
};

const holds: Readonly<Record<Comparison, (order: number) => boolean>> = {
  eq: (by) => by === 0,
  ne: (by) => by !== 0,
  gt: (by) => by > 0,
  ge: (by) => by >= 0,
  lt: (by) => by < 0,
  le: (by) => by <= 0,
};

const passes: Readonly<Record<TextTest, (whole: string, part: string) => boolean>> = {
  substringof: (whole, part) => whole.includes(part),
  startswith: (whole, part) => whole.startsWith(part),
  endswith: (whole, part) => whole.endsWith(part),
};

const join = (by: 'and' | 'or', one: boolean | undefined, other: boolean | undefined): boolean | undefined => {
  const decides = by === 'or';
  if (one === decides || other === decides) return decides;
  return one === undefined || other === undefined ? undefined : !decides;
};

const comparisonHolds = (
  { property, by, text }: Extract<Filter, { readonly kind: 'comparison' }>,
  value: string | null,
): boolean => {
  // Nothing equals nothing, and is neither more nor less than a text.
  if (value === null || text === null) return (value === text) === (by === 'eq') && (by === 'eq' || by === 'ne');
  return holds[by](order(value, text, property.endsWith('Version')));
};

/** Whether a filter lets something through; undefined if that depends on what is not known. */
export const matches = (filter: Filter, known: KnownProperties): boolean | undefined => {
  if (filter.kind === 'join') return join(filter.by, matches(filter.one, known), matches(filter.other, known));
  if (filter.kind === 'not') {
    const inner = matches(filter.of, known);
    return inner === undefined ? undefined : !inner;
  }
  if (filter.kind === 'flag') return known[filter.property];
  const value = known[filter.property];
  if (value === undefined) return undefined;
  if (filter.kind === 'comparison') return comparisonHolds(filter, value);
  return value !== null && passes[filter.test](value.toLowerCase(), filter.text);
};

/** What 'or' joins, in its order. The parser puts all that comes before an 'or' to the left of it. */
const alternativesOf = (filter: Filter): readonly Filter[] => {
  const found: Filter[] = [];
  let rest = filter;
  for (; rest.kind === 'join' && rest.by === 'or'; rest = rest.one) found.push(rest.other);
  return [...found, rest].toReversed();
};

/** The names of the only packages that a filter lets through; undefined if there may be others. */
export const namesOf = (filter: Filter): readonly string[] | undefined => {
  if (filter.kind === 'comparison' && filter.property === 'Id' && filter.by === 'eq')
    return filter.text === null ? [] : [nameOfId(filter.text)];
  if (filter.kind !== 'join') return undefined;
  if (filter.by === 'and') return namesOf(filter.one) ?? namesOf(filter.other);
  const lists = alternativesOf(filter).map(namesOf);
  return lists.every((names) => names !== undefined) ? [...new Set(lists.flat())] : undefined;
};

const addParts = (filter: Filter, parts: Set<string>): void => {
  if (filter.kind === 'test') parts.add(filter.text);
  if (filter.kind !== 'join') return;
  addParts(filter.one, parts);
  addParts(filter.other, parts);
};

/** The texts that a filter looks for in others. */
export const partsOf = (filter: Filter): readonly string[] => {
  const parts = new Set<string>();
  addParts(filter, parts);
  return [...parts];
};
