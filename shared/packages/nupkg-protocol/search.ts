import type { BytesResult } from '../../http/payloads.ts';
import type { Table } from '../../table/client.ts';
import type { JsonObject } from '../formats/json-objects.ts';
import { nameOfId } from '../nupkg/ids.ts';
import { localEntries, mergeEntries, type NupkgEntry, type OrderedEntry } from '../nupkg/package-entries.ts';
import { isPrerelease, isSemVer2 } from '../nupkg/versions.ts';
import { type SearchPage, type StoredIndexes, searchOneByOne, searchSources } from '../serve/search.ts';
import type { Sources } from '../sources/sources.ts';
import type { PackageUrls } from './addresses.ts';
import { isFound, type PackageSearch, parseSearch, type SearchParameters } from './search-query.ts';
import { type PackageHit, upstreamSearch } from './upstream-search.ts';

/** The versions that a search shows, the lowest first. */
export const shownEntries = (
  entries: readonly OrderedEntry[],
  { hasPrereleases, hasSemVer2 }: Pick<PackageSearch, 'hasPrereleases' | 'hasSemVer2'>,
): readonly OrderedEntry[] =>
  entries.filter(
    ({ listed, parsed }) => listed && (hasPrereleases || !isPrerelease(parsed)) && (hasSemVer2 || !isSemVer2(parsed)),
  );

const hitOf = (indexes: StoredIndexes, search: PackageSearch): PackageHit | undefined => {
  const shown = shownEntries(mergeEntries(indexes.map(localEntries)), search);
  const isOfType = search.packageType === undefined || typesOf(shown.at(-1)).includes(search.packageType);
  return shown.length > 0 && isOfType ? shown : undefined;
};

/** The types of a package. One that names none is to depend on. */
const defaultTypes = [{ name: 'Dependency' }];

const typesOf = ({ packageTypes = defaultTypes }: Partial<NupkgEntry> = {}): readonly string[] =>
  packageTypes.map(({ name }) => name.toLowerCase());

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
    hitOf: async (indexes) => hitOf(indexes, search),
  });
  return { ...page, hits: [...hits, ...others.map(({ hit }) => hit as PackageHit)] };
};

/** The packages that a search finds, and how many there are. */
export interface FoundPackagesOneByOne {
  /** All versions of each, the lowest first. */
  readonly packages: AsyncIterable<readonly OrderedEntry[]>;
  readonly total: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Searches the sources of an address for one package after the other, whose name is one that is wanted. Throws as `searchSources`. */
export const findPackages = async (
  table: Table,
  sources: Sources,
  search: PackageSearch,
  isWanted: (name: string) => boolean,
): Promise<FoundPackagesOneByOne> => {
  const { hits, others, ...found } = await searchOneByOne<readonly OrderedEntry[]>(table, sources, {
    ...upstreamSearch(search),
    isFound: isWanted,
    hitOf: async (indexes) => mergeEntries(indexes.map(localEntries)),
  });
  return { ...found, packages: joined(hits, others) };
};

async function* joined(
  hits: AsyncIterable<readonly OrderedEntry[]>,
  others: readonly JsonObject[],
): AsyncGenerator<readonly OrderedEntry[]> {
  yield* hits;
  for (const { hit } of others) yield mergeEntries([hit as PackageHit]);
}

/** A package in the answer of a search by version 3 of the protocol (learn.microsoft.com/nuget/api/search-query-service-resource). */
const resultOf = (hit: PackageHit, urls: PackageUrls): JsonObject => {
  const entries = mergeEntries([hit]);
  const latest = entries.at(-1);
  if (!latest) return {};
  const name = nameOfId(latest.id);
  const {
    parsed: _parsed,
    key: _key,
    content: _content,
    sha512: _sha512,
    listed: _listed,
    created: _created,
    ...shown
  } = latest;
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

/** Answers a search by version 3 of the protocol. Throws as `searchSources`. */
export const answerSearch = async (
  { table, query }: { readonly table: Table; readonly query: SearchParameters },
  sources: Sources,
  urls: PackageUrls,
): Promise<BytesResult> => {
  const { hits, total, headers } = await searchPackages(table, sources, parseSearch(query));
  const content = JSON.stringify({ totalHits: total, data: hits.map((hit) => resultOf(hit, urls)) });
  return { kind: 'bytes', mediaType: 'application/json', headers, content };
};
