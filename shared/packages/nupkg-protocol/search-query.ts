/** The query of a search, by either version of the protocol. */
export interface PackageSearch {
  /** What the user typed. */
  readonly text: string;
  /** The words that the names contain, in lower case. */
  readonly words: readonly string[];
  /** The names that are searched for as a whole. */
  readonly names: readonly string[];
  readonly from: number;
  readonly size: number;
  readonly hasPrereleases: boolean;
  /** Whether the client can read versions of SemVer 2. */
  readonly hasSemVer2: boolean;
  /** The type that a package must have, in lower case; undefined for any. */
  readonly packageType: string | undefined;
}

const sizeDefault = 20;
/** The maximum number of packages of an answer, and the highest number of packages before them. */
export const searchSizeMax = 1_000;
const fromMax = 3_000;

const countOf = (text: string | undefined, otherwise: number, max: number): number =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Math.min(Number(text), max) : otherwise;

/** What a client sends in the query of a search. */
export interface SearchParameters {
  readonly q?: string | undefined;
  readonly skip?: string | undefined;
  readonly take?: string | undefined;
  readonly prerelease?: string | undefined;
  readonly semVerLevel?: string | undefined;
  readonly packageType?: string | undefined;
}

/** Whose packages those are. No ID contains it. */
const unindexed = /^(?:owners?|authors?):/;

/** Parses the query of a search. `packageid:` and `id:` before a word say that it is one of an ID. Those of what is not indexed here find nothing, but for the ones that clients add to each search, as `tag:`. */
export const parseSearch = ({
  q = '',
  skip,
  take,
  prerelease,
  semVerLevel,
  packageType,
}: SearchParameters): PackageSearch => {
  const words = q
    .toLowerCase()
    .split(/[\s,"]+/)
    .filter((word) => word !== '');
  // A client that asks for one page after the other ends there.
  const isTooFar = countOf(skip, 0, Number.MAX_SAFE_INTEGER) > fromMax;
  const named = words.flatMap((word) => /^packageid:(?<name>.+)$/.exec(word)?.groups?.name ?? []);
  return {
    text: q,
    words: words
      .map((word) => word.replace(/^id:/, ''))
      .filter((word) => unindexed.test(word) || !/^[a-z]+:/.test(word)),
    names: named,
    from: countOf(skip, 0, fromMax),
    size: isTooFar ? 0 : countOf(take, sizeDefault, searchSizeMax),
    hasPrereleases: prerelease?.toLowerCase() === 'true',
    hasSemVer2: semVerLevel?.startsWith('2') === true,
    packageType: packageType?.toLowerCase() || undefined,
  };
};

/** Whether a search finds a package of this name. */
export const isFound = ({ words, names }: Pick<PackageSearch, 'words' | 'names'>, name: string): boolean =>
  words.every((word) => name.includes(word)) && names.every((each) => name === each);
