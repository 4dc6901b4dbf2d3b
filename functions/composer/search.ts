import { isObject, type JsonObject } from '../../shared/packages/formats/json-objects.ts';
import type { StoredIndexes } from '../../shared/packages/serve/search.ts';
import {
  type FoundPackages,
  foundPackages,
  type LoadJson,
  listedObjects,
  type UpstreamSearch,
} from '../../shared/packages/serve/upstream-search.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { localVersions } from './index-entries.ts';
import { isPackageName, packageNameOf } from './names.ts';
import { mergedVersions } from './rendering.ts';
import { addressesIn, rootUrl } from './upstream-documents.ts';
import { isDevelopment } from './versions.ts';

/** The query of `composer search`. */
export interface ComposerSearch {
  readonly text: string;
  /** The words that the names contain, in lower case. */
  readonly words: readonly string[];
  /** The type that packages must have; empty for any. */
  readonly type: string;
  readonly page: number;
  readonly size: number;
}

const sizeDefault = 15;
/** The maximum number of packages of an answer, as for Packagist. */
const sizeMax = 100;
const pageMax = 10_000;

const countOf = (text: string, otherwise: number, max: number): number =>
  /^[1-9]\d{0,8}$/.test(text) ? Math.min(Number(text), max) : otherwise;

/** Parses the query of a search. */
export const parseSearch = ({
  q = '',
  type = '',
  page = '',
  per_page: size = '',
}: {
  q?: string;
  type?: string;
  page?: string;
  per_page?: string;
}): ComposerSearch => ({
  text: q,
  words: packageNameOf(q).split(/\s+/).filter(Boolean),
  type,
  page: countOf(page, 1, pageMax),
  size: countOf(size, sizeDefault, sizeMax),
});

/** Whether a search finds a package of this name. */
export const isFound = ({ words }: ComposerSearch, name: string): boolean => words.every((word) => name.includes(word));

/** A package as a search describes it (packagist.org/apidoc#search-packages). */
export interface ComposerHit {
  readonly name: string;
  readonly description: string;
  readonly url: string;
  readonly repository: string;
  readonly downloads: number;
  readonly favers: number;
  readonly abandoned?: unknown;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A package of a local repository: its newest version, and one of development only if there is no other. */
export const hitOf = ({ type }: ComposerSearch, indexes: StoredIndexes): ComposerHit | undefined => {
  const versions = mergedVersions(indexes.map(localVersions));
  const { fields } = versions.find(({ version }) => !isDevelopment(version)) ?? versions[0] ?? {};
  if (!fields || (type !== '' && (fields.type ?? 'library') !== type)) return undefined;
  const { name, description, homepage, abandoned } = fields;
  return {
    name: textOf(name),
    description: textOf(description),
    url: textOf(homepage),
    repository: '',
    downloads: 0,
    favers: 0,
    ...(abandoned !== undefined && { abandoned }),
  };
};

/** A search as upstreams get it, at the address that their packages.json gives. */
export const upstreamSearch = (search: ComposerSearch): UpstreamSearch => ({
  parts: search.words,
  names: search.words.filter(isPackageName),
  urlOf: async (source: RemoteRepository, load: LoadJson) => {
    const url = rootUrl(source);
    const root = await load(url);
    const address = root && addressesIn(root, url).search;
    if (!address?.includes('%query%')) return undefined;
    return address
      .replaceAll('%query%', () => encodeURIComponent(search.text))
      .replaceAll('%type%', () => encodeURIComponent(search.type));
  },
  foundIn: ({ results, total }): FoundPackages =>
    foundPackages(
      listedObjects(results).flatMap((object) => {
        const name = packageNameOf(textOf(object.name));
        return isPackageName(name) ? [{ name, object: shown(object, name) }] : [];
      }),
      total,
    ),
});

/** What is shown of a package of an upstream: no address there. */
const shown = ({ description, downloads, favers, abandoned }: JsonObject, name: string): JsonObject => ({
  name,
  description: textOf(description),
  url: '',
  repository: '',
  downloads: Number(downloads) || 0,
  favers: Number(favers) || 0,
  ...((typeof abandoned === 'string' || typeof abandoned === 'boolean') && { abandoned }),
});

/** The names that a list of an upstream has. */
export const namesIn = ({ packageNames }: JsonObject): FoundPackages => {
  const names = Array.isArray(packageNames) ? packageNames : isObject(packageNames) ? Object.values(packageNames) : [];
  return foundPackages(
    names
      .filter((name): name is string => typeof name === 'string' && isPackageName(packageNameOf(name)))
      .slice(0, namesMax)
      .map((name) => ({ name: packageNameOf(name), object: { name } })),
    undefined,
  );
};

/** The maximum number of names of an upstream in a list. Each is looked for in the local repositories. */
const namesMax = 1_000;

/** The rule for names in a list: `*` stands for any text. */
export const parseFilter = ({ filter = '', vendor = '' }: { filter?: string; vendor?: string }): string =>
  packageNameOf(filter === '' && vendor !== '' ? `${vendor}/*` : filter);

/** Whether a filter lets a name pass. Without any, every name does. */
export const passes = (filter: string, name: string): boolean => {
  if (filter === '') return true;
  const [first = '', ...rest] = filter.split('*');
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
};

/** A list as upstreams get it: one without a filter has hundreds of thousands of names, and is not asked for. */
export const upstreamList = (filter: string): UpstreamSearch => ({
  parts: filter.split(/[*\s]+/).filter(Boolean),
  names: isPackageName(filter) ? [filter] : [],
  urlOf: async (source: RemoteRepository, load: LoadJson) => {
    const url = rootUrl(source);
    const root = await load(url);
    const address = root && addressesIn(root, url).list;
    if (address === undefined) return undefined;
    const list = new URL(address);
    list.searchParams.set('filter', filter);
    return list.href;
  },
  foundIn: namesIn,
});
