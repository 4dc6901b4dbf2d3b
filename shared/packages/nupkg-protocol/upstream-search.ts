import type { RemoteRepository } from '../../table/repositories/repositories.ts';
import { isObject, type JsonObject, parseObject } from '../formats/json-objects.ts';
import { isPackageId, nameOfId } from '../nupkg/ids.ts';
import { mergeEntries, type NupkgEntry } from '../nupkg/package-entries.ts';
import { parseVersion } from '../nupkg/versions.ts';
import {
  type FoundPackage,
  foundPackages,
  type LoadJson,
  listedObjects,
  type UpstreamSearch,
} from '../serve/upstream-search.ts';
import { urlBelow } from '../upstream/url-below.ts';
import { readFeed } from './feed.ts';
import { shownBy } from './gate.ts';
import { type PackageSearch, searchSizeMax } from './search-query.ts';
import { readService, serviceIndexUrl } from './upstream-service.ts';

/** A package that a search finds, by the versions that it shows, of which there is one at least. */
export type PackageHit = readonly NupkgEntry[];

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
    take: String(Math.min(search.from + search.size, searchSizeMax)),
    prerelease: String(search.hasPrereleases),
    ...(search.hasSemVer2 && { semVerLevel: '2.0.0' }),
    ...(search.packageType !== undefined && { packageType: search.packageType }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
};

/** A search as upstreams get it. */
export const upstreamSearch = (search: PackageSearch): UpstreamSearch => ({
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
  foundIn: ({ data, hits, totalHits, total }, source) =>
    Array.isArray(hits)
      ? foundPackages(
          (hits as PackageHit[]).flatMap((hit) => found(shownBy(source, hit))),
          total,
        )
      : foundPackages(
          listedObjects(data).flatMap((object) => found(upstreamHit(object))),
          totalHits,
        ),
});
