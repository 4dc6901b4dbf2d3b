import { chunksOf } from '../../chunks.ts';
import type { Table } from '../../table/client.ts';
import { type PackageRef, packagesList, unescaped } from '../../table/packages/package-keys.ts';
import { contentIdOf, type LocalRepository } from '../../table/repositories/repositories.ts';
import { compareTexts } from '../../text-order.ts';
import type { JsonObject } from '../formats/json-objects.ts';
import { type LoadedIndex, loadIndex } from '../index/package-index.ts';
import { isLocal } from '../sources/resolution.ts';
import type { Sources } from '../sources/sources.ts';
import { refuseUnreachable } from './joined-answers.ts';
import { originHeaders } from './origin-headers.ts';
import { readable } from './readable.ts';
import { type FoundPackage, searchUpstreams, type UpstreamSearch } from './upstream-search.ts';

/** The index of a package in one of the sources. */
interface StoredIndex extends LoadedIndex {
  readonly ref: PackageRef;
}

/** The indexes of a package in the local sources that have it, in their order. */
export type StoredIndexes = readonly [StoredIndex, ...StoredIndex[]];

/** A search by a client of a package type. `H` is what its answer shows of a package that is stored here. */
export interface Search<H> extends UpstreamSearch {
  /** The beginning of all names that the search may find. */
  readonly prefix?: string;
  readonly isFound: (name: string) => boolean;
  /** The number of packages before the page. */
  readonly from: number;
  /** The number of packages on the page. */
  readonly size: number;
  /** What the answer shows of a package by its indexes, in the order of the sources; undefined if it shows nothing. */
  readonly hitOf: (indexes: StoredIndexes) => Promise<H | undefined>;
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

/** Packages that are stored here, ordered by name: where the local sources have each, in the order of the sources. */
type StoredPackages = ReadonlyMap<string, readonly PackageRef[]>;

/** What a search finds in the sources of an address. */
interface Found {
  readonly stored: StoredPackages;
  /** Packages of upstreams that no local source has. */
  readonly others: readonly FoundPackage[];
  readonly total: number;
  readonly headers: Readonly<Record<string, string>>;
}

const findAll = async (table: Table, sources: Sources, search: WantedNames & UpstreamSearch): Promise<Found> => {
  const [stored, upstream] = await Promise.all([
    findNames(table, sources, search),
    searchUpstreams(table, sources, search),
  ]);
  if (upstream.unreachable.length === sources.all.length) refuseUnreachable(upstream.unreachable);
  const unreachable = upstream.unreachable.map(({ source }) => source.name);
  const origins = sources.all.map(({ name }) => name).filter((name) => !unreachable.includes(name));
  return {
    stored,
    others: upstream.packages.filter(({ name }) => !stored.has(name)),
    total: stored.size + upstream.total,
    headers: originHeaders({ origins, unreachable }),
  };
};

/** Searches the sources of an address. If all of them are upstreams that fail, it throws the refusal of the first one. */
export const searchSources = async <H>(table: Table, sources: Sources, search: Search<H>): Promise<SearchPage<H>> => {
  const { from, size, hitOf } = search;
  const { stored, others, total, headers } = await findAll(table, sources, search);
  const page = others.slice(Math.max(0, from - stored.size), Math.max(0, from + size - stored.size));
  const hits: H[] = [];
  for await (const hit of hitsOf(table, [...stored.values()].slice(from, from + size), hitOf)) hits.push(hit);
  return {
    hits,
    others: page.map(({ object }) => object),
    total,
    headers,
  };
};

/** All that a search finds: packages that are stored here are loaded as they are taken. */
export interface FoundOneByOne<H> extends Pick<SearchPage<H>, 'others' | 'total' | 'headers'> {
  readonly hits: AsyncIterable<H>;
}

/** Searches the sources of an address for one package after the other. It throws as `searchSources`. */
export const searchOneByOne = async <H>(
  table: Table,
  sources: Sources,
  search: Omit<Search<H>, 'from' | 'size'>,
): Promise<FoundOneByOne<H>> => {
  const { stored, others, total, headers } = await findAll(table, sources, search);
  return {
    hits: hitsOf(table, [...stored.values()], search.hitOf),
    others: others.map(({ object }) => object),
    total,
    headers,
  };
};

/** Lists the names that a search finds, those of packages that are stored here first. It throws as `searchSources`. */
export const searchNames = async (
  table: Table,
  sources: Sources,
  search: WantedNames & UpstreamSearch,
): Promise<{ readonly names: readonly string[]; readonly headers: Readonly<Record<string, string>> }> => {
  const { stored, others, headers } = await findAll(table, sources, search);
  return { names: [...stored.keys(), ...others.map(({ name }) => name)], headers };
};

/** The maximum number of queries in each repository. A query returns a megabyte, which is about 10,000 names. */
const queriesMax = 5;

type WantedNames = Pick<Search<unknown>, 'prefix' | 'isFound'>;

/** The packages of local sources that a search finds. */
const findNames = async (table: Table, { all }: Sources, wanted: WantedNames): Promise<StoredPackages> => {
  const namesIn = async (source: LocalRepository): Promise<readonly PackageRef[]> => {
    const { names } = await listNames(table, source, wanted);
    return names.map((name) => ({ contentId: contentIdOf(source), name }));
  };
  const lists = await Promise.all(all.filter(isLocal).map(namesIn));
  const found = lists.flat().toSorted((one, other) => compareTexts(one.name, other.name));
  return Map.groupBy(found, ({ name }) => name);
};

/** Names of packages of a local repository, and whether they are all. */
interface ListedNames {
  readonly names: readonly string[];
  readonly isWhole: boolean;
}

/** The names of the packages that a local repository has, as far as so many queries return them. */
export const listNames = async (
  table: Table,
  source: LocalRepository,
  { prefix = '', isFound }: WantedNames,
  queries = queriesMax,
): Promise<ListedNames> => {
  const list = packagesList(contentIdOf(source), prefix);
  const names: string[] = [];
  let after: string | undefined;
  for (let query = 0; query < queries && (query === 0 || after !== undefined); query += 1) {
    const { items, next } = await table.query(list, { after });
    const present = items.filter(({ item }) => !item.isEmpty);
    names.push(...present.map(({ position }) => unescaped(list.prefix + position)));
    after = next;
  }
  const leaves = (name: string): boolean => readable(source, { kind: 'package', name }, name) !== undefined;
  return { names: names.filter((name) => isFound(name) && leaves(name)), isWhole: after === undefined };
};

/** The number of packages that are loaded in parallel. Their indexes may have tens of megabytes each. */
const atOnceMax = 5;

async function* hitsOf<H>(
  table: Table,
  stored: readonly (readonly PackageRef[])[],
  hitOf: Search<H>['hitOf'],
): AsyncGenerator<H> {
  const indexOf = async (ref: PackageRef): Promise<StoredIndex | undefined> => {
    const index = await loadIndex(table, ref);
    return index && { ref, ...index };
  };
  const loaded = async (refs: readonly PackageRef[]): Promise<H | undefined> => {
    // Its versions may all have been deleted in the meantime.
    const [first, ...others] = (await Promise.all(refs.map(indexOf))).filter((index) => index !== undefined);
    return first && hitOf([first, ...others]);
  };
  for (const batch of chunksOf(stored, atOnceMax))
    yield* (await Promise.all(batch.map(loaded))).filter((hit) => hit !== undefined);
}
