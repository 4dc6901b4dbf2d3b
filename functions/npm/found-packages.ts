import { chunksOf } from '../../shared/chunks.ts';
import { loadIndex } from '../../shared/packages/package-index.ts';
import { isLocal } from '../../shared/packages/resolution.ts';
import type { Sources } from '../../shared/packages/sources.ts';
import type { Table } from '../../shared/table/client.ts';
import { type PackageRef, packagesList, unescaped, versionKey } from '../../shared/table/package-keys.ts';
import { contentIdOf } from '../../shared/table/repositories.ts';
import { manifestOf, timeOf } from './index-entries.ts';
import { isFound, type SearchHit, type SearchQuery } from './search.ts';
import { latestOf } from './versions.ts';

/** The maximum number of queries in each repository. A query returns a megabyte, which is about 10,000 names. */
const queriesMax = 5;

/** The packages of local sources that a search finds, ordered by name. If several sources have a name, the first one counts. */
export const findNames = async (
  table: Table,
  { all }: Sources,
  search: SearchQuery,
): Promise<readonly PackageRef[]> => {
  const locals = all.filter(isLocal).map(contentIdOf);
  const lists = await Promise.all(locals.map((contentId) => namesIn(table, contentId, search)));
  const found = new Map<string, PackageRef>();
  for (const ref of lists.flat()) if (!found.has(ref.name)) found.set(ref.name, ref);
  return [...found.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
};

const namesIn = async (table: Table, contentId: string, search: SearchQuery): Promise<PackageRef[]> => {
  const prefix = search.scope === undefined ? '' : `@${search.scope}/`;
  const list = packagesList(contentId, prefix);
  const names: string[] = [];
  let after: string | undefined;
  for (let query = 0; query < queriesMax && (query === 0 || after !== undefined); query += 1) {
    const { items, next } = await table.query(list, { after });
    const present = items.filter(({ item }) => !item.isEmpty);
    names.push(...present.map(({ position }) => unescaped(list.prefix + position)));
    after = next;
  }
  return names.filter((name) => isFound(search, name)).map((name) => ({ contentId, name }));
};

/** The number of indexes that are loaded in parallel. Each may have tens of megabytes. */
const atOnceMax = 5;

/** Loads what a search shows of packages, without those whose versions were all deleted in the meantime. */
export const hitsOf = async (table: Table, refs: readonly PackageRef[]): Promise<SearchHit[]> => {
  const hits: (SearchHit | undefined)[] = [];
  for (const batch of chunksOf(refs, atOnceMax))
    hits.push(...(await Promise.all(batch.map((ref) => hitOf(table, ref)))));
  return hits.filter((hit) => hit !== undefined);
};

const hitOf = async (table: Table, ref: PackageRef): Promise<SearchHit | undefined> => {
  const index = await loadIndex(table, ref);
  const latest = index?.tags.latest ?? latestOf(index?.entries.keys() ?? []);
  const entry = latest === undefined ? undefined : index?.entries.get(latest);
  if (!entry) return undefined;
  const { version } = entry;
  const key = versionKey(ref, version);
  const origin = (await table.read([key])).find(key)?.origin;
  const publisher = origin?.kind === 'published' ? origin.by.username : '';
  return { manifest: { ...manifestOf(entry), name: ref.name, version }, time: timeOf(entry) ?? '', publisher };
};
