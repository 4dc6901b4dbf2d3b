import type { Positioned, Table } from './client.ts';
import type { ListKey } from './keys.ts';

/**
 * The maximum number of items in one query of a list: the largest page, and one more item to know whether there is a
 * next page.
 */
const queryItemsMax = 1_001;

/** The requested part of a list: at most `limit` entries after the position `after`. */
export interface PageRequest {
  readonly limit: number | undefined;
  readonly after: string | undefined;
}

/** Part of a list, in order; `more` says whether entries follow. */
export interface List<T> {
  readonly entries: readonly Positioned<T>[];
  readonly more: boolean;
}

/** The same part of a list with each entry converted. */
export const mapEntries = <T, R>({ entries, more }: List<T>, turn: (item: T) => R): List<R> => ({
  entries: entries.map(({ position, item }) => ({ position, item: turn(item) })),
  more,
});

/**
 * Reads a page of a list. `load` converts the stored entries into their items, or into undefined where an entry does not
 * belong to the list.
 */
export const listPage = async <E, T>(
  table: Table,
  list: ListKey<E>,
  page: PageRequest,
  load: (entries: readonly E[], positions: readonly string[]) => Promise<readonly (T | undefined)[]>,
): Promise<List<T>> => {
  const wanted = page.limit ?? Number.POSITIVE_INFINITY;
  const entries: Positioned<T>[] = [];
  let after = page.after;
  // One entry more than wanted shows whether there are more. The steps grow if many entries do not belong to the list.
  for (let margin = 1; ; margin *= 2) {
    const limit = Math.min(queryItemsMax, (wanted + 1 - entries.length) * margin);
    const { items, next } = await table.query(list, { after, limit });
    const positions = items.map(({ position }) => position);
    const loaded = await load(
      items.map(({ item }) => item),
      positions,
    );
    for (const [index, position] of positions.entries()) {
      const item = loaded[index];
      if (item !== undefined) entries.push({ position, item });
    }
    if (next === undefined || entries.length > wanted)
      return { entries: entries.slice(0, page.limit), more: entries.length > wanted };
    after = next;
  }
};

/** A page of a list that was read completely. */
export const pageOf = <T>(all: readonly Positioned<T>[], page: PageRequest): List<T> => {
  const rest = all
    .filter(({ position }) => page.after === undefined || position > page.after)
    .toSorted((one, other) => (one.position < other.position ? -1 : 1));
  return { entries: rest.slice(0, page.limit), more: page.limit !== undefined && rest.length > page.limit };
};
