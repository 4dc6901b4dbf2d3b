import { chunksOf } from '../../chunks.ts';
import type { Table } from '../../table/client.ts';
import { type PackageRef, packagesList, unescaped } from '../../table/packages/package-keys.ts';
import { contentIdOf, type LocalRepository } from '../../table/repositories/repositories.ts';
import type { JsonObject } from '../formats/json-objects.ts';
import { type LoadedIndex, loadIndex } from '../index/package-index.ts';
import { isLocal } from '../sources/resolution.ts';
import type { Sources } from '../sources/sources.ts';
import { refuseUnreachable } from './joined-answers.ts';
import { originHeaders } from './origin-headers.ts';
import { readable } from './readable.ts';
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
  /** What the answer shows of a package; undefined if it shows nothing. */
  readonly hitOf: (index: LoadedIndex, ref: PackageRef) => Promise<H | undefined>;
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
  if (upstream.unreachable.length === sources.all.length) refuseUnreachable(upstream.unreachable);
  const local = new Set(names.map(({ name }) => name));
  const others = upstream.packages.filter(({ name }) => !local.has(name)).map(({ object }) => object);
  const unreachable = upstream.unreachable.map(({ source }) => source.name);
  const origins = sources.all.map(({ name }) => name).filter((name) => !unreachable.includes(name));
  return {
    hits: await hitsOf(table, names.slice(from, from + size), hitOf),
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
  const lists = await Promise.all(all.filter(isLocal).map((source) => namesIn(table, source, wanted)));
  const found = new Map<string, PackageRef>();
  for (const ref of lists.flat()) if (!found.has(ref.name)) found.set(ref.name, ref);
  return [...found.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
};

const namesIn = async (
  table: Table,
  source: LocalRepository,
  { prefix = '', isFound }: WantedNames,
): Promise<PackageRef[]> => {
  const contentId = contentIdOf(source);
  const list = packagesList(contentId, prefix);
  const names: string[] = [];
  let after: string | undefined;
  for (let query = 0; query < queriesMax && (query === 0 || after !== undefined); query += 1) {
    const { items, next } = await table.query(list, { after });
    const present = items.filter(({ item }) => !item.isEmpty);
    names.push(...present.map(({ position }) => unescaped(list.prefix + position)));
    after = next;
  }
  return names
    .filter((name) => isFound(name) && readable(source, { kind: 'package', name }, name) !== undefined)
    .map((name) => ({ contentId, name }));
};

/** The number of packages that are loaded in parallel. Their indexes may have tens of megabytes each. */
const atOnceMax = 5;

const hitsOf = async <H>(table: Table, refs: readonly PackageRef[], hitOf: Search<H>['hitOf']): Promise<H[]> => {
  const loaded = async (ref: PackageRef): Promise<H | undefined> => {
    // Its versions may all have been deleted in the meantime.
    const index = await loadIndex(table, ref);
    return index && hitOf(index, ref);
  };
  const hits: (H | undefined)[] = [];
  for (const batch of chunksOf(refs, atOnceMax)) hits.push(...(await Promise.all(batch.map(loaded))));
  return hits.filter((hit) => hit !== undefined);
};
