import { chunksOf } from '../chunks.ts';
import { listBytesMax, listEntriesMax } from '../limits.ts';
import type { Table } from './client.ts';
import type { ListKey } from './keys.ts';
import type { Positioned } from './reading-table.ts';

/**
 * The maximum number of items in one query of a list: the largest page, and one more item to know whether there is a
 * next page.
 */
const queryItemsMax = 1_001;

/** The number of entries after whose loading the size is checked. */
const portionMax = 1_000;

/** The requested part of a list: at most `limit` entries after the position `after`. */
export interface PageRequest {
  readonly limit: number | undefined;
  readonly after: string | undefined;
}

/** Part of a list, in order. Entries follow after the position `next`, which is undefined at the end of the list. */
export interface List<T> {
  readonly entries: readonly Positioned<T>[];
  readonly next: string | undefined;
}

/** Turns stored entries into those of the answer, or into undefined where one does not belong to the list. */
type Load<E, R> = (entries: readonly E[], positions: readonly string[]) => Promise<readonly (R | undefined)[]>;

/**
 * Reads a page of a list. The work is bounded by the page: it goes through as many stored entries as the page may hold, or
 * `reachMin` if that is more. So a page can be short, or even empty, before the end of the list.
 */
export const listPage = <E, R>(
  table: Table,
  list: ListKey<E>,
  page: PageRequest,
  load: Load<E, R>,
  reachMin = 25,
): Promise<List<R>> =>
  page.limit === undefined
    ? wholeList(table, list, page.after, load)
    : limitedPage(table, list, { limit: page.limit, after: page.after, reach: Math.max(page.limit, reachMin) }, load);

const limitedPage = async <E, R>(
  table: Table,
  list: ListKey<E>,
  page: { readonly limit: number; readonly after: string | undefined; readonly reach: number },
  load: Load<E, R>,
): Promise<List<R>> => {
  const { limit } = page;
  const entries: Positioned<R>[] = [];
  let { after } = page;
  // One entry more than wanted shows whether there are more. The steps grow if many entries do not belong to the list.
  let left = page.reach + 1;
  for (let margin = 1; ; margin *= 2) {
    const wanted = (limit + 1 - entries.length) * margin;
    const { items, next } = await table.query(list, { after, limit: Math.min(queryItemsMax, wanted, left) });
    entries.push(...(await loaded(items, load)));
    if (entries.length > limit) return { entries: entries.slice(0, limit), next: entries[limit - 1]?.position };
    left -= items.length;
    if (next === undefined || left <= 0 || isTooLarge(entries)) return { entries, next };
    after = next;
  }
};

/** Reads the list from a position to its end. It reads no item of a list that is too long for one answer. */
const wholeList = async <E, R>(
  table: Table,
  list: ListKey<E>,
  from: string | undefined,
  load: Load<E, R>,
): Promise<List<R>> => {
  const stored: Positioned<E>[] = [];
  let after = from;
  do {
    const { items, next } = await table.query(list, { after, limit: listEntriesMax + 1 - stored.length });
    stored.push(...items);
    after = next;
  } while (after !== undefined && stored.length <= listEntriesMax);
  if (stored.length > listEntriesMax) return { entries: [], next: after ?? stored.at(-1)?.position };
  return inPortions(stored, (portion) => loaded(portion, load));
};

/** Loads entries, as long as the result fits into one answer. */
export const inPortions = async <E, R>(
  stored: readonly E[],
  load: (portion: readonly E[]) => Promise<readonly Positioned<R>[]>,
): Promise<List<R>> => {
  const entries: Positioned<R>[] = [];
  const portions = chunksOf(stored, portionMax);
  for (const [index, portion] of portions.entries()) {
    entries.push(...(await load(portion)));
    if (index < portions.length - 1 && isTooLarge(entries)) return { entries, next: entries.at(-1)?.position };
  }
  return { entries, next: undefined };
};

const loaded = async <E, R>(items: readonly Positioned<E>[], load: Load<E, R>): Promise<Positioned<R>[]> => {
  const turned = await load(
    items.map(({ item }) => item),
    items.map(({ position }) => position),
  );
  return items.flatMap(({ position }, index) => {
    const item = turned[index];
    return item === undefined ? [] : [{ position, item }];
  });
};

/** Whether entries are more than one answer can contain. */
const isTooLarge = (entries: readonly Positioned<unknown>[]): boolean =>
  entries.reduce((bytes, { item }) => bytes + Buffer.byteLength(JSON.stringify(item)), 0) > listBytesMax;

/** The entries after a position, up to the limit of the page, of a list that was read completely but is not in order. */
export const pageOf = <R>({ entries, next }: List<R>, { limit, after }: PageRequest): List<R> => {
  const rest = entries
    .filter(({ position }) => after === undefined || position > after)
    .toSorted((one, other) => (one.position < other.position ? -1 : 1));
  if (next !== undefined || limit === undefined || rest.length <= limit) return { entries: rest, next };
  return { entries: rest.slice(0, limit), next: rest[limit - 1]?.position };
};
