import { hash } from 'node:crypto';
import { ApiError } from '../../errors.ts';
import { isPackageId, nameOfId } from '../nupkg/ids.ts';
import { mergeEntries, type NupkgEntry } from '../nupkg/package-entries.ts';
import { findEntries, ifAny } from '../nupkg-protocol/reading.ts';
import { findPackages, shownEntries } from '../nupkg-protocol/search.ts';
import { isFound, type PackageSearch, parseSearch } from '../nupkg-protocol/search-query.ts';
import type { FoundIndexes, IndexCall } from '../serve/package-indexes.ts';
import type { Sources } from '../sources/sources.ts';
import type { Filter } from './filters.ts';
import { matches, namesOf, partsOf } from './matching.ts';
import type { FeedPath } from './paths.ts';
import { type FeedParameters, type FeedQuery, feedPageMax, parseQuoted } from './queries.ts';
import { type FeedRow, rowsOf } from './rows.ts';

/** What a request for versions finds. */
export interface FoundRows extends Pick<FoundIndexes<unknown>, 'name' | 'revision' | 'headers'> {
  /** Reads the rows from the first one on: all, or as many as the page needs and one more, and the number of all if it is wanted. */
  readonly load: () => Promise<{ readonly rows: readonly FeedRow[]; readonly count: number | undefined }>;
}

/** The parts of a request that finding versions needs. */
export interface FeedCall extends IndexCall {
  readonly query: FeedParameters & NonNullable<IndexCall['query']>;
}

type VersionsPath = Extract<FeedPath, { readonly kind: 'versions' }>;

/** The number of versions of a page. */
export const pageSizeOf = ({ top = feedPageMax }: FeedQuery): number => Math.min(top, feedPageMax);

/** Finds the versions that a request asks for. Throws REQUEST_INVALID, and as `findIndexes` and `searchSources`. */
export const findRows = async (
  call: FeedCall,
  sources: Sources,
  { of, isCount }: VersionsPath,
  query: FeedQuery,
): Promise<FoundRows> => {
  const names = namesOfRequest(of, call.query.id, query.filter);
  if (names) return rowsOfNames(call, sources, names, query);
  return searchedRows(call, sources, of === 'search', { ...query, hasCount: isCount || query.hasCount });
};

/** The names of the packages that a request is about; undefined if it looks for them. */
export const namesOfRequest = (
  of: VersionsPath['of'],
  id: string | undefined,
  filter: Filter | undefined,
): readonly string[] | undefined => {
  if (of === 'search') return undefined;
  if (of === 'package') return [nameOfId(parseQuoted(id))];
  return filter && namesOf(filter);
};

const rowsOfNames = async (
  { table, loaded, query: { wait } }: FeedCall,
  sources: Sources,
  names: readonly string[],
  query: FeedQuery,
): Promise<FoundRows> => {
  const wanted = names.filter(isPackageId);
  const call = { table, loaded, query: { wait } };
  const found = (
    await Promise.all(wanted.map(async (name) => ifAny(async () => findEntries(call, sources, name))))
  ).filter((each) => each !== undefined);
  return {
    name: wanted.join(),
    revision: found.map(({ revision }) => revision).join(),
    headers: Object.assign({}, ...found.map(({ headers }) => headers)) as FoundRows['headers'],
    load: async () => {
      const rows = await Promise.all(found.map(async (each) => rowsOf(await entriesOf(each), query)));
      return { rows: rows.flat(), count: rows.flat().length };
    },
  };
};

/** All versions of a package; none if the last of them was deleted in the meantime. */
const entriesOf = async ({ load }: FoundIndexes<readonly NupkgEntry[]>) => mergeEntries((await ifAny(load)) ?? []);

/** The number of packages of a search whose versions are read for one page. */
const packagesMax = 3_000;

const searchedRows = async (
  call: FeedCall,
  sources: Sources,
  isSearch: boolean,
  query: FeedQuery,
): Promise<FoundRows> => {
  const { filter } = query;
  const search = searchOf(call.query, isSearch, query);
  const mayMatch = (name: string): boolean => filter === undefined || matches(filter, { Id: name }) !== false;
  const isWanted = (name: string): boolean => mayMatch(name) && (!isSearch || isFound(search, name));
  const found = await findPackages(call.table, sources, search, isWanted);
  const last = query.skip + pageSizeOf(query);
  const rows: FeedRow[] = [];
  let read = 0;
  for await (const entries of found.packages) {
    if (read === packagesMax && !query.hasCount) throw tooMany();
    if (read === packagesMax || (rows.length > last && !query.hasCount)) break;
    read += 1;
    rows.push(...rowsOf(isSearch ? shownEntries(entries, search) : entries, query));
  }
  // Of packages that nobody read, each counts as one version.
  const count = query.hasCount ? rows.length + Math.max(0, found.total - read) : undefined;
  const page = rows.slice(0, last + 1);
  return {
    name: '',
    revision: revisionOf(page, count),
    headers: found.headers,
    load: async () => ({ rows: page, count }),
  };
};

const tooMany = (): ApiError =>
  new ApiError(
    'LIST_TOO_LONG',
    `Versions of at most ${packagesMax} packages are looked through for a page. Search for more of a name.`,
  );

/** What is searched for, here and at upstreams. */
const searchOf = (
  { searchTerm, includePrerelease, semVerLevel }: FeedParameters,
  isSearch: boolean,
  query: FeedQuery,
): PackageSearch => {
  const parts = query.filter ? partsOf(query.filter) : [];
  const text = isSearch ? parseQuoted(searchTerm) : parts.length === 1 ? parts[0] : '';
  const parsed = parseSearch({ q: text, prerelease: includePrerelease, semVerLevel });
  return { ...parsed, from: query.skip, size: pageSizeOf(query) };
};

const revisionOf = (rows: readonly FeedRow[], count: number | undefined): string =>
  hash('sha256', JSON.stringify([rows, count]), 'base64url');
