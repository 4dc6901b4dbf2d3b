import type { Table } from './client.ts';
import type { ListKey } from './keys.ts';
import type { List } from './lists.ts';
import type { Positioned } from './reading-table.ts';

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

/** The maximum number of entries in one query: the largest page, and one more that shows whether there is a next page. */
const entriesPerQuery = 1_001;

/**
 * A page of what `shownOf` makes of several lists read as one: at most `limit` entries after the position `after`, and how far they
 * go. A page that has looked at `reach` entries ends, however few it has: what is deleted leaves entries that nothing shows.
 */
export const queryShown = async <T, Shown>(
  table: Table,
  lists: readonly ListKey<T>[],
  page: { readonly after: string | undefined; readonly limit: number; readonly reach: number },
  shownOf: (entry: MergedEntry<T>) => Shown | undefined,
): Promise<List<Shown>> => {
  const shown: Positioned<Shown>[] = [];
  let { after } = page;
  let examined = 0;
  do {
    // One more than the page shows whether there is a next one. Who meets what is not shown will meet more of it.
    const limit = Math.min(entriesPerQuery, examined === 0 ? page.limit + 1 : entriesPerQuery);
    const merged = await queryMerged(table, lists, { after, limit });
    for (const entry of merged.entries) {
      const item = shownOf(entry);
      if (item !== undefined) shown.push({ position: entry.position, item });
    }
    examined += merged.entries.length;
    after = merged.next;
  } while (after !== undefined && shown.length <= page.limit && examined < page.reach);
  if (shown.length <= page.limit) return { entries: shown, next: after };
  const entries = shown.slice(0, page.limit);
  return { entries, next: entries.at(-1)?.position };
};
