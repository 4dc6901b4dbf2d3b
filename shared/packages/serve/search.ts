import { chunksOf } from '../../chunks.ts';
import type { Table } from '../../table/client.ts';
import { type PackageRef, packagesList, unescaped } from '../../table/packages/package-keys.ts';
import { contentIdOf } from '../../table/repositories/repositories.ts';
import type { JsonObject } from '../formats/json-objects.ts';
import { isLocal } from '../sources/resolution.ts';
import type { Sources } from '../sources/sources.ts';
import { originHeaders } from './origin-headers.ts';
import { searchUpstreams, type UpstreamSearch } from './upstream-search.ts';

/** A search by a client of a package type. `H` is what its answer shows of a package that is stored here. */
export interface Search<H> extends UpstreamSearch {
  /** The beginning of all names that the search may find. */
  readonly prefix?: string;
  readonly isFound: (name: string) => boolean;
  /** The number of packages before the page. */
  readonly from: number;
  /** The number of packages on the page. */
  readonly size: number;
  /** Loads what the answer shows of a package; undefined if its versions were all deleted in the meantime. */
  readonly hitOf: (ref: PackageRef) => Promise<H | undefined>;
}

/** One page of what a search finds: first packages that are stored here, ordered by name, then those of upstreams. */
export interface SearchPage<H> {
  readonly hits: readonly H[];
  /** Packages of upstreams, as their answers describe them. */
  readonly others: readonly JsonObject[];
  /** The number of packages on all pages. */
  readonly total: number;
  /** The headers that say where the answer comes from. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Searches the sources of an address. If all of them are upstreams that fail, it throws the refusal of the first one. */
export const searchSources = async <H>(table: Table, sources: Sources, search: Search<H>): Promise<SearchPage<H>> => {
  const { from, size, hitOf } = search;
  const [names, upstream] = await Promise.all([
    findNames(table, sources, search),
    searchUpstreams(table, sources, search),
  ]);
  const [refusal] = upstream.refusals.values();
  if (refusal && upstream.refusals.size === sources.all.length) throw refusal;
  const local = new Set(names.map(({ name }) => name));
  const others = upstream.packages.filter(({ name }) => !local.has(name)).map(({ object }) => object);
  const unreachable = Array.from(upstream.refusals.keys(), ({ name }) => name);
  const origins = sources.all.map(({ name }) => name).filter((name) => !unreachable.includes(name));
  return {
    hits: await hitsOf(names.slice(from, from + size), hitOf),
    others: others.slice(Math.max(0, from - names.length), Math.max(0, from + size - names.length)),
    total: names.length + upstream.total,
    headers: originHeaders({ origins, unreachable }),
  };
};

/** The maximum number of queries in each repository. A query returns a megabyte, which is about 10,000 names. */
const queriesMax = 5;

type WantedNames = Pick<Search<unknown>, 'prefix' | 'isFound'>;

/** The packages of local sources that a search finds, ordered by name. If several sources have a name, the first one counts. */
const findNames = async (table: Table, { all }: Sources, wanted: WantedNames): Promise<readonly PackageRef[]> => {
  const locals = all.filter(isLocal).map(contentIdOf);
  const lists = await Promise.all(locals.map((contentId) => namesIn(table, contentId, wanted)));
  const found = new Map<string, PackageRef>();
  for (const ref of lists.flat()) if (!found.has(ref.name)) found.set(ref.name, ref);
  return [...found.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
};

const namesIn = async (
  table: Table,
  contentId: string,
  { prefix = '', isFound }: WantedNames,
): Promise<PackageRef[]> => {
  const list = packagesList(contentId, prefix);
  const names: string[] = [];
  let after: string | undefined;
  for (let query = 0; query < queriesMax && (query === 0 || after !== undefined); query += 1) {
    const { items, next } = await table.query(list, { after });
    const present = items.filter(({ item }) => !item.isEmpty);
    names.push(...present.map(({ position }) => unescaped(list.prefix + position)));
    after = next;
  }
  return names.filter(isFound).map((name) => ({ contentId, name }));
};

/** The number of packages that are loaded in parallel. Their indexes may have tens of megabytes each. */
const atOnceMax = 5;

const hitsOf = async <H>(refs: readonly PackageRef[], hitOf: Search<H>['hitOf']): Promise<H[]> => {
  const hits: (H | undefined)[] = [];
  for (const batch of chunksOf(refs, atOnceMax)) hits.push(...(await Promise.all(batch.map(hitOf))));
  return hits.filter((hit) => hit !== undefined);
};
