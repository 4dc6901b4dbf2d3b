import type { Action } from '../change-actions.ts';
import { type ChangeRecord, positionAt, recordShards } from './changes.ts';
import type { Table } from './client.ts';
import { type ListKey, recordsList } from './keys.ts';
import type { List, PageRequest } from './lists.ts';
import { queryMerged } from './merged-lists.ts';

/** The filters of a list of records. An absent filter restricts nothing. */
export interface RecordFilters {
  /** The IDs and names of who made the change: one of them will do. */
  readonly actor?: readonly string[] | undefined;
  /** The IDs and names of a repository that the change concerns: one of them will do. */
  readonly repository?: readonly string[] | undefined;
  readonly action?: Action | undefined;
  /** In milliseconds, both inclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** The partitions of the index, which together hold all records. */
export const allRecords: readonly ListKey<ChangeRecord>[] = Array.from({ length: recordShards }, (_, shard) => ({
  pk: String(shard),
  prefix: recordsList('').prefix,
  index: 'records',
}));

/** The number of records that a page with filters goes through at least. */
const reachMin = 250;

/** Sorts after every position of the same time, and before every earlier one. */
const endOf = (time: number): string => `${positionAt(time)}~`;

/** What has expired counts as gone, though the table may have it for days. */
const passes = (record: ChangeRecord, { actor, repository, action }: RecordFilters): boolean =>
  record.expiresAt > Date.now() / 1000 &&
  (actor === undefined || actor.includes(record.actor.id) || actor.includes(record.actor.name)) &&
  (repository === undefined ||
    repository.some((each) => each === record.repositoryName || record.concerns.has(each))) &&
  (action === undefined || action === record.action);

/**
 * Reads a page of several lists of records, newest first. It takes one query of each list, so a page can be short, or empty,
 * before the end.
 */
export const listChanges = async <R>(
  table: Table,
  lists: readonly ListKey<ChangeRecord>[],
  { from, to, ...filters }: RecordFilters,
  { limit = reachMin, after }: PageRequest,
  turn: (record: ChangeRecord) => R,
): Promise<List<R>> => {
  const isFiltered = Object.values(filters).some((filter) => filter !== undefined);
  const reach = isFiltered ? Math.max(limit, reachMin) : limit;
  const first = to === undefined ? '' : endOf(to + 1);
  const begin = after === undefined || after < first ? first : after;
  const found = await queryMerged(table, lists, {
    after: begin === '' ? undefined : begin,
    limit: Math.ceil(reach / lists.length),
  });
  const isOver = ({ position }: { readonly position: string }): boolean => from !== undefined && position > endOf(from);
  const entries = found.entries
    .filter((entry) => !isOver(entry))
    .flatMap(({ position, items }) =>
      items.flatMap((item) => (item && passes(item, filters) ? [{ position, item: turn(item) }] : [])),
    );
  if (entries.length > limit) return { entries: entries.slice(0, limit), next: entries[limit - 1]?.position };
  return { entries, next: found.entries.some(isOver) ? undefined : found.next };
};
