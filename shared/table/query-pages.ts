import type { ListKey } from './keys.ts';
import type { Positioned, ReadingTable } from './reading-table.ts';

/**
 * The items of a list, one query after the other, each with at most a megabyte. Who has enough stops. With `max`, no query asks
 * for more than what is left of it.
 */
export async function* queryPages<T>(
  table: ReadingTable,
  list: ListKey<T>,
  max?: number,
): AsyncGenerator<readonly Positioned<T>[]> {
  let after: string | undefined;
  let left = max;
  do {
    const { items, next } = await table.query(list, { after, limit: left });
    yield items;
    after = next;
    left = left === undefined ? undefined : left - items.length;
  } while (after !== undefined && (left === undefined || left > 0));
}

/** All items of a list, or the first `max` ones. */
export const queryAll = async <T>(
  table: ReadingTable,
  list: ListKey<T>,
  max?: number,
): Promise<readonly Positioned<T>[]> => {
  const all: Positioned<T>[] = [];
  for await (const items of queryPages(table, list, max)) all.push(...items);
  return all;
};
