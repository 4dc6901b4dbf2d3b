import type { Table } from './client.ts';
import type { ListKey } from './keys.ts';

/** A position in several lists, and the item of each list at this position, if it has one. */
export interface MergedEntry<T> {
  readonly position: string;
  readonly items: readonly (T | undefined)[];
}

/** The order of sort keys in DynamoDB: by the bytes of UTF-8. */
const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

/**
 * Reads a page of several lists as if they were one. It returns at least one entry after the position `after`, unless there
 * is none. `next` is the `after` of the next page, and undefined on the last page.
 */
export const queryMerged = async <T>(
  table: Table,
  lists: readonly ListKey<T>[],
  page: { readonly after: string | undefined; readonly limit: number },
): Promise<{ readonly entries: readonly MergedEntry<T>[]; readonly next: string | undefined }> => {
  const pages = await Promise.all(lists.map((list) => table.query(list, page)));
  // Only positions up to the end of the page that ends first are known for every list.
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
