import { isObject, type JsonObject, textsOf } from '../../shared/packages/formats/json-objects.ts';
import type { Manifest } from './manifest.ts';
import { scopeOf } from './names.ts';

/** The query of `npm search`. */
export interface SearchQuery {
  /** The scope of the names, without its `@`. */
  readonly scope?: string;
  /** The words that the names contain. */
  readonly words: readonly string[];
  readonly from: number;
  readonly size: number;
}

const sizeDefault = 20;
/** The maximum number of packages of an answer, as for the public registry. */
export const sizeMax = 250;

const countOf = (text: string | undefined, otherwise: number): number =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : otherwise;

/** What asks for data that is not indexed here. No name contains it, so it finds nothing. Other qualifiers only weigh what is found. */
const unindexed = /^(?:author|maintainer|keywords):/;

/** Parses the query of `-/v1/search`. */
export const parseSearch = (query: Readonly<Record<string, string | undefined>>): SearchQuery => {
  const words = (query.text ?? '').split(/\s+/).filter((word) => word !== '');
  const scope = /^scope:@?(?<scope>.+)$/.exec(words.find((word) => word.startsWith('scope:')) ?? '')?.groups?.scope;
  return {
    ...(scope !== undefined && { scope }),
    words: words.filter((word) => unindexed.test(word) || !/^[a-z-]+:/.test(word)).map((word) => word.toLowerCase()),
    from: countOf(query.from, 0),
    size: Math.min(countOf(query.size, sizeDefault), sizeMax),
  };
};

/** The beginning of all names in the scope of a search. */
export const prefixOf = ({ scope }: SearchQuery): string => (scope === undefined ? '' : `@${scope}/`);

/** Whether a search finds a package of this name. */
export const isFound = ({ scope, words }: SearchQuery, name: string): boolean =>
  (scope === undefined || scopeOf(name) === scope) && words.every((word) => name.toLowerCase().includes(word));

/** A package that a search finds: the manifest of its latest version, and the time and the user of its publication. */
export interface SearchHit {
  readonly manifest: Manifest;
  readonly time: string;
  readonly publisher: string;
}

/** The answer to `-/v1/search`. `others` are packages as an upstream describes them. */
export const searchResult = (
  hits: readonly SearchHit[],
  { others, total, time }: { others: readonly JsonObject[]; total: number; time: string },
): JsonObject => ({
  objects: [...hits.map(objectOf), ...others],
  total,
  time,
});

/** Packages are not rated here, but clients expect a score. */
const score = { final: 1, detail: { quality: 1, popularity: 1, maintenance: 1 } };

const objectOf = ({ manifest, time, publisher }: SearchHit): JsonObject => {
  const { name, version, description, license, keywords, maintainers } = manifest;
  const found = {
    name,
    scope: scopeOf(name) ?? 'unscoped',
    version,
    ...Object.fromEntries(textsOf({ description, license })),
    keywords: Array.isArray(keywords) ? keywords.filter((word) => typeof word === 'string') : [],
    date: time,
    links: linksOf(manifest),
    publisher: { username: publisher },
    // npm fails on a package without this list, and on a maintainer without a name.
    maintainers: Array.isArray(maintainers) ? maintainers.filter(isObject).map(maintainerOf) : [],
  };
  return { package: found, score, searchScore: 1 };
};

/** A manifest calls `name` what a search calls `username`. */
const maintainerOf = ({ name, email }: JsonObject): JsonObject => ({
  username: '',
  ...Object.fromEntries(textsOf({ username: name, email })),
});

const linksOf = ({ homepage, repository, bugs }: JsonObject): JsonObject => {
  const urlOf = (link: unknown): unknown => (isObject(link) ? link.url : link);
  return Object.fromEntries(textsOf({ homepage, repository: urlOf(repository), bugs: urlOf(bugs) }));
};
