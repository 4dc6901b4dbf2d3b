import type { VersionOrder } from '../../shared/table/repositories/advisories.ts';

/** A part of a version: a number, or any other text. */
type Item = bigint | string;

interface Parts {
  readonly main: readonly Item[];
  readonly pre?: readonly Item[];
  readonly build?: readonly Item[];
}

/** Python reads a sign and underscores in a number, too. */
const numeral = /^(?<sign>[+-]?)(?<digits>\d+(?:_\d+)*)$/;

const itemOf = (text: string): Item => {
  const { sign = '', digits } = numeral.exec(text)?.groups ?? {};
  if (digits === undefined) return text;
  const number = BigInt(digits.replaceAll('_', ''));
  return sign === '-' ? -number : number;
};

/** The parts between dots, without zeros at the end: 1.0 is 1. */
const itemsOf = (text: string): readonly Item[] => {
  const items = text.split('.').map(itemOf);
  return items.slice(0, items.findLastIndex((item) => item !== 0n) + 1);
};

/** Splits a text at a position; the second part is absent if there is no such position. */
const splitAt = (text: string, at: number): readonly [string, string?] =>
  at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];

const partsOf = (version: string): Parts => {
  const [rest, build] = splitAt(version, version.lastIndexOf('+'));
  const [main, pre] = splitAt(rest, rest.indexOf('-'));
  return {
    main: itemsOf(main),
    ...(pre !== undefined && { pre: itemsOf(pre) }),
    ...(build !== undefined && { build: itemsOf(build) }),
  };
};

const order = <T>(one: T, other: T): number => {
  if (one === other) return 0;
  return one < other ? -1 : 1;
};

/** Two numbers by their values, and anything else by its text. */
const compareItem = (one: Item, other: Item): number =>
  typeof one === typeof other ? order(one, other) : order(String(one), String(other));

/** The first different items decide; of two lists that differ only in length, the shorter one comes first. */
const compareItems = (one: readonly Item[] = [], other: readonly Item[] = []): number => {
  for (const [at, item] of one.entries()) {
    const against = other[at];
    if (against === undefined) return 1;
    const compared = compareItem(item, against);
    if (compared !== 0) return compared;
  }
  return order(one.length, other.length);
};

/** Something without a build comes before the same with one. */
const compareBuilds = (one: Parts, other: Parts): number =>
  order(one.build !== undefined, other.build !== undefined) || compareItems(one.build, other.build);

/** A pre-release comes before its release. */
const comparePres = (one: Parts, other: Parts): number =>
  order(one.pre === undefined, other.pre === undefined) || compareItems(one.pre, other.pre);

/** Compares two versions as Conan does (`conan.internal.model.version.Version`): negative if the first one is older, 0 if they are equal. */
export const compareVersions = (one: string, other: string): number => {
  const [parts, others] = [partsOf(one), partsOf(other)];
  return compareItems(parts.main, others.main) || comparePres(parts, others) || compareBuilds(parts, others);
};

/** The version of a recipe in that of a revision. */
const ofRecipe = (version: string): string => version.split(/[@#:]/, 1)[0] ?? version;

/** The order of versions for advisories, which know no revisions: every text is a version. */
const recipeOrder: VersionOrder = (one, other) => compareVersions(ofRecipe(one), ofRecipe(other));

export { recipeOrder as order };
