import type { Table } from './client.ts';
import type { ListKey } from './keys.ts';

/** A position of several lists, and what each of them has there. */
export interface MergedEntry<T> {
  readonly position: string;
  readonly items: readonly (T | undefined)[];
}

/** In the order of the table: by the bytes of UTF-8. */
const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

/**
 * Reads a part of several lists as if they were one: at least one entry that comes after `after`, unless there is none. `next` is
 * the position to go on after.
 */
export const queryMerged = async <T>(
  table: Table,
  lists: readonly ListKey<T>[],
  page: { readonly after: string | undefined; readonly limit: number },
): Promise<{ readonly entries: readonly MergedEntry<T>[]; readonly next: string | undefined }> => {
  const pages = await Promise.all(lists.map((list) => table.query(list, page)));
  // Beyond the end of a page that was cut, it is not known what its list has.
  const [next] = pages.flatMap((each) => each.next ?? []).toSorted(byBytes);
  const rows = pages.map(({ items }) => new Map(items.map(({ position, item }) => [position, item])));
  const positions = [...new Set(rows.flatMap((row) => [...row.keys()]))]
    .filter((position) => next === undefined || byBytes(position, next) <= 0)
    .toSorted(byBytes);
  return {
    entries: positions.map((position) => ({ position, items: rows.map((row) => row.get(position)) })),
    next,
  };
};
