import type { Table } from '../../table/client.ts';
import type { RemoteRepository } from '../../table/repositories/repositories.ts';
import { isObject, type JsonObject, parseObject } from '../formats/json-objects.ts';
import type { LoadedIndex } from '../index/package-index.ts';
import { isPackageId, nameOfId } from '../nupkg/ids.ts';
import { localEntries, mergeEntries, type NupkgEntry, type OrderedEntry } from '../nupkg/package-entries.ts';
import { isPrerelease, isSemVer2, parseVersion } from '../nupkg/versions.ts';
import { type SearchPage, searchSources } from '../serve/search.ts';
import {
  type FoundPackage,
  foundPackages,
  type LoadJson,
  listedObjects,
  type UpstreamSearch,
} from '../serve/upstream-search.ts';
import type { Sources } from '../sources/sources.ts';
import { urlBelow } from '../upstream/url-below.ts';
import type { PackageUrls } from './addresses.ts';
import { readFeed } from './feed.ts';
import { readService, serviceIndexUrl } from './upstream-service.ts';

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
const sizeMax = 1_000;
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

/** Parses the query of a search. `packageid:` and `id:` before a word say that it is one of an ID; other qualifiers are of what is not indexed here. */
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
  const named = words.flatMap((word) => /^packageid:(?<name>.+)$/.exec(word)?.groups?.name ?? []);
  return {
    text: q,
    words: words.map((word) => word.replace(/^id:/, '')).filter((word) => !/^[a-z]+:/.test(word)),
    names: named,
    from: countOf(skip, 0, fromMax),
    size: countOf(take, sizeDefault, sizeMax),
    hasPrereleases: prerelease?.toLowerCase() === 'true',
    hasSemVer2: semVerLevel?.startsWith('2') === true,
    packageType: packageType?.toLowerCase() || undefined,
  };
};

/** Whether a search finds a package of this name. */
export const isFound = ({ words, names }: Pick<PackageSearch, 'words' | 'names'>, name: string): boolean =>
  words.every((word) => name.includes(word)) && names.every((each) => name === each);

/** The versions that a search shows, the lowest first. */
export const shownEntries = (
  entries: readonly OrderedEntry[],
  { hasPrereleases, hasSemVer2 }: Pick<PackageSearch, 'hasPrereleases' | 'hasSemVer2'>,
): readonly OrderedEntry[] =>
  entries.filter(
    ({ listed, parsed }) => listed && (hasPrereleases || !isPrerelease(parsed)) && (hasSemVer2 || !isSemVer2(parsed)),
  );

/** A package that a search finds, by the versions that it shows, of which there is one at least. */
export type PackageHit = readonly NupkgEntry[];

const hitOf = (index: LoadedIndex, search: PackageSearch): PackageHit | undefined => {
  const shown = shownEntries(mergeEntries([localEntries(index)]), search);
  const isOfType = search.packageType === undefined || typesOf(shown.at(-1)).includes(search.packageType);
  return shown.length > 0 && isOfType ? shown : undefined;
};

/** The types of a package. One that names none is to depend on. */
const defaultTypes = [{ name: 'Dependency' }];

const typesOf = ({ packageTypes = defaultTypes }: Partial<NupkgEntry> = {}): readonly string[] =>
  packageTypes.map(({ name }) => name.toLowerCase());

const textIn = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** The texts of a package in the answer of an upstream. Links are left out: some lead to the upstream. */
const textsOf = (object: JsonObject): Partial<NupkgEntry> =>
  Object.fromEntries(
    ['title', 'description', 'summary', 'authors'].flatMap((field) => {
      const sent = object[field];
      const text = textIn(Array.isArray(sent) ? sent.join(', ') : sent);
      return text === undefined ? [] : [[field, text]];
    }),
  );

/** The entries of a package in the answer of an upstream, the lowest version first. */
const upstreamHit = (object: JsonObject): PackageHit => {
  const { id, version, versions, tags } = object;
  if (typeof id !== 'string' || !isPackageId(id)) return [];
  const listed = Array.isArray(versions) ? versions.filter(isObject) : [];
  const found = [...listed.map((each) => [each.version, each.downloads] as const), [version, undefined] as const];
  const entries = found.flatMap(([text, downloads]): NupkgEntry[] =>
    typeof text === 'string' && parseVersion(text)
      ? [
          {
            id,
            version: text,
            listed: true,
            ...textsOf(object),
            ...(Array.isArray(tags) && { tags: tags.filter((tag) => typeof tag === 'string') }),
            ...(Number.isSafeInteger(downloads) && { downloads: Number(downloads) }),
          },
        ]
      : [],
  );
  return mergeEntries([entries]);
};

const isFeed = (sent: Uint8Array): boolean => Buffer.from(sent.subarray(0, 100)).toString().trimStart().startsWith('<');

/** The answer of an upstream as an object: `hits` are the entries of the packages of a feed. */
const parseAnswer = (sent: Buffer, url: string): JsonObject => {
  if (!isFeed(sent)) return parseObject(sent, 'The answer of the upstream');
  const { entries, total } = readFeed(sent, url);
  const byName = Map.groupBy(entries, ({ id }) => nameOfId(id));
  return { hits: Array.from(byName.values()), total };
};

const found = (hit: PackageHit): FoundPackage[] => (hit[0] ? [{ name: nameOfId(hit[0].id), object: { hit } }] : []);

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The URL of a search by version 2 of the protocol. */
const feedSearchUrl = ({ remoteRepositoryUrl }: RemoteRepository, search: PackageSearch): string => {
  const url = new URL(urlBelow(remoteRepositoryUrl, 'Search()'));
  const parameters = {
    $filter: search.hasPrereleases ? 'IsAbsoluteLatestVersion' : 'IsLatestVersion',
    searchTerm: quoted(search.text),
    targetFramework: quoted(''),
    includePrerelease: String(search.hasPrereleases),
    $top: String(search.from + search.size),
    semVerLevel: '2.0.0',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
};

const searchUrl = (base: string, search: PackageSearch): string => {
  const url = new URL(base);
  const parameters = {
    q: search.text,
    // The pages of several upstreams can only be joined from the first one on.
    skip: '0',
    take: String(Math.min(search.from + search.size, sizeMax)),
    prerelease: String(search.hasPrereleases),
    ...(search.hasSemVer2 && { semVerLevel: '2.0.0' }),
    ...(search.packageType !== undefined && { packageType: search.packageType }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
};

/** A search as upstreams get it. */
const upstreamSearch = (search: PackageSearch): UpstreamSearch => ({
  parts: [...search.words, ...search.names],
  names: [...search.words, ...search.names].filter(isPackageId),
  accept: 'application/json, application/atom+xml;q=0.9',
  parse: parseAnswer,
  urlOf: async (source: RemoteRepository, load: LoadJson) => {
    const indexUrl = serviceIndexUrl(source.remoteRepositoryUrl);
    const document = indexUrl === undefined ? undefined : await load(indexUrl);
    if (!document || indexUrl === undefined) return feedSearchUrl(source, search);
    const { search: base } = readService(document, indexUrl);
    return base === undefined ? undefined : searchUrl(base, search);
  },
  foundIn: ({ data, hits, totalHits, total }) =>
    Array.isArray(hits)
      ? foundPackages((hits as PackageHit[]).flatMap(found), total)
      : foundPackages(
          listedObjects(data).flatMap((object) => found(upstreamHit(object))),
          totalHits,
        ),
});

/** Searches the sources of an address. Throws as `searchSources`. */
export const searchPackages = async (
  table: Table,
  sources: Sources,
  search: PackageSearch,
): Promise<Omit<SearchPage<PackageHit>, 'others'>> => {
  const { hits, others, ...page } = await searchSources<PackageHit>(table, sources, {
    ...upstreamSearch(search),
    from: search.from,
    size: search.size,
    isFound: (name) => isFound(search, name),
    hitOf: async (index) => hitOf(index, search),
  });
  return { ...page, hits: [...hits, ...others.map(({ hit }) => hit as PackageHit)] };
};

/** A package in the answer of a search by version 3 of the protocol (learn.microsoft.com/nuget/api/search-query-service-resource). */
export const resultOf = (hit: PackageHit, urls: PackageUrls): JsonObject => {
  const entries = mergeEntries([hit]);
  const latest = entries.at(-1);
  if (!latest) return {};
  const name = nameOfId(latest.id);
  const { parsed: _parsed, key: _key, content: _content, sha512: _sha512, listed: _listed, ...shown } = latest;
  return {
    '@id': urls.registration(name),
    '@type': 'Package',
    registration: urls.registration(name),
    ...shown,
    description: latest.description ?? '',
    authors: latest.authors === undefined ? [] : [latest.authors],
    tags: latest.tags ?? [],
    packageTypes: latest.packageTypes ?? defaultTypes,
    totalDownloads: entries.reduce((sum, { downloads = 0 }) => sum + downloads, 0),
    versions: entries.map(({ key, version, downloads = 0 }) => ({ '@id': urls.leaf(name, key), version, downloads })),
  };
};
