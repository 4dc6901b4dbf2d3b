import type { Table } from './client.ts';
import type { Item, Key } from './keys.ts';

/** The items of a list, read in one query each up to so many: the largest page, and whether there is more. */
const queryItemsMax = 1_001;

/** Which part of a list is asked for: up to `limit` entries whose position comes after `after`. */
export interface PageRequest {
  readonly limit: number | undefined;
  readonly after: string | undefined;
}

/** The items of one partition whose sort keys begin alike. */
interface ListKey {
  readonly pk: string;
  readonly prefix: string;
}

/** The list whose entries have the key that an empty name would have. */
export const listOf = ({ pk, sk }: Key): ListKey => ({ pk, prefix: sk });

/**
 * Walks the entries of a list in the order of their sort key, after a position (the sort key less the prefix). `load`
 * turns entries into what they stand for, undefined for what does not belong.
 */
export const listPage = async <T>(
  table: Table,
  list: ListKey,
  page: PageRequest,
  load: (entries: readonly Item[]) => Promise<readonly (T | undefined)[]>,
): Promise<{ entries: { position: string; item: T }[]; more: boolean }> => {
  const wanted = page.limit ?? Number.POSITIVE_INFINITY;
  const entries: { position: string; item: T }[] = [];
  let after = page.after === undefined ? undefined : list.prefix + page.after;
  // One more than is wanted tells whether there are more. Where much does not belong, the steps grow.
  for (let margin = 1; ; margin *= 2) {
    const limit = Math.min(queryItemsMax, (wanted + 1 - entries.length) * margin);
    const { items, next } = await table.query(list.pk, list.prefix, { after, limit });
    const loaded = await load(items);
    for (const [index, { sk }] of items.entries()) {
      const item = loaded[index];
      if (item !== undefined) entries.push({ position: sk.slice(list.prefix.length), item });
    }
    if (next === undefined || entries.length > wanted)
      return { entries: entries.slice(0, page.limit), more: entries.length > wanted };
    after = next;
  }
};
