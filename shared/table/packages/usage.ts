import { randomInt } from 'node:crypto';
import type { Table } from '../client.ts';
import type { IdentityMap } from '../identity-map.ts';
import { type Key, usageKey, usageList } from '../keys.ts';
import type { Positioned } from '../reading-table.ts';
import type { Update, Write } from '../writes.ts';

/** The number of bytes, files and packages that are stored. */
export interface Usage {
  readonly bytes: number;
  readonly files: number;
  readonly packages: number;
}

/** What a change adds to the usage. */
export interface UsageChange extends Usage {
  /** The size of the entries of indexes before compression. It counts towards the storage limit, and is no file. */
  readonly entryBytes?: number;
}

/** One of the items that together hold the usage of a workspace or of a content, so that parallel publishes rarely conflict. */
export type UsageShard = Partial<UsageChange>;

const shardCount = 8;

const added = (key: Key<UsageShard>, { bytes, files, packages, entryBytes = 0 }: UsageChange): Update => ({
  update: key,
  set: `ADD #bytes :bytes, #files :files, #packages :packages${entryBytes === 0 ? '' : ', #entryBytes :entryBytes'}`,
  values: {
    ':bytes': bytes,
    ':files': files,
    ':packages': packages,
    ...(entryBytes !== 0 && { ':entryBytes': entryBytes }),
  },
});

/** Adds to the usage of a workspace and to that of a content. Negative numbers subtract. */
export const addUsage = (workspaceId: string, contentId: string, usage: UsageChange): Update[] =>
  [workspaceId, contentId].map((scope) => added(usageKey(scope, randomInt(shardCount)), usage));

/**
 * As `addUsage`, and refused if the content has ended: what ends it removes all shards of its usage, and the sweeper those that
 * were made at that moment before anything else. Parallel writes meet on a shard only, and not on the repository. The shards
 * must have been made by `usageBegun`.
 */
export const addUsageWithin = (workspaceId: string, contentId: string, usage: Usage): readonly [Update, Update] => [
  added(usageKey(workspaceId, randomInt(shardCount)), usage),
  { ...added(usageKey(contentId, randomInt(shardCount)), usage), if: 'attribute_exists(pk)' },
];

/** Makes the shards of the usage of a content that are not there yet. */
export const usageBegun = (contentId: string): Update[] =>
  usageKeys(contentId).map((key) => added(key, { bytes: 0, files: 0, packages: 0 }));

/** Reads the usage of a scope: the ID of a workspace, or the content ID of a repository. */
export const readUsage = async (table: Table, scope: string): Promise<Usage> => {
  const { items } = await table.query(usageList(scope));
  return sumOf(items.map(({ item }) => item));
};

/** Reads the usage of a scope with the texts in its indexes. */
export const readUsageAndEntries = async (table: Table, scope: string): Promise<Required<UsageChange>> => {
  const shards = (await table.query(usageList(scope))).items.map(({ item }) => item);
  return { ...sumOf(shards), entryBytes: entryBytesOf(shards) };
};

const entryBytesOf = (shards: readonly UsageShard[]): number =>
  shards.reduce((total, { entryBytes = 0 }) => total + entryBytes, 0);

/** The keys of all shards, for a caller that reads them together with other items. */
export const usageKeys = (scope: string): Key<UsageShard>[] =>
  Array.from({ length: shardCount }, (_, shard) => usageKey(scope, shard));

/** The usage of a scope. `loaded` has the items of `usageKeys`. */
export const usageOf = (scope: string, loaded: IdentityMap): Usage =>
  sumOf(usageKeys(scope).map((key) => loaded.find(key) ?? {}));

/** The sum of several usages, or of the shards of one. */
export const sumOf = (parts: readonly UsageShard[]): Usage => {
  const sum = (field: keyof Usage): number => parts.reduce((total, part) => total + (part[field] ?? 0), 0);
  return { bytes: sum('bytes'), files: sum('files'), packages: sum('packages') };
};

/**
 * The writes that subtract the usage of a content from that of its workspace. They are part of the transaction that makes
 * the content unreachable. `shards` is the usage that a query returned; the writes are refused if it has changed since.
 */
export const usageEnded = (
  workspaceId: string,
  contentId: string,
  shards: readonly Positioned<UsageShard>[],
  workspaceShard = randomInt(shardCount),
): Write[] => {
  if (shards.length === 0) return [];
  const items = shards.map(({ item }) => item);
  const { bytes, files, packages } = sumOf(items);
  const ended = { bytes: -bytes, files: -files, packages: -packages, entryBytes: -entryBytesOf(items) };
  return [
    ...shards.map(({ position, item }) => ({ remove: usageKey(contentId, Number(position)), ...unchanged(item) })),
    added(usageKey(workspaceId, workspaceShard), ended),
  ];
};

/** The condition that a shard is as it was read. */
const unchanged = ({ bytes, files, packages, entryBytes }: UsageShard) => ({
  if: `#bytes = :bytes AND #files = :files AND #packages = :packages AND ${entryBytes === undefined ? 'attribute_not_exists(#entryBytes)' : '#entryBytes = :entryBytes'}`,
  values: {
    ':bytes': bytes,
    ':files': files,
    ':packages': packages,
    ...(entryBytes !== undefined && { ':entryBytes': entryBytes }),
  },
});

/**
 * Subtracts the usage of an unreachable content from that of its workspace. A publication can create a shard between the
 * query and the transaction of `usageEnded`, which then misses it. It can be repeated. A deleted workspace has no shards, and
 * gets none. Returns false if the usage changed at this moment, and is there still.
 */
export const endUsage = async (table: Table, workspaceId: string, contentId: string): Promise<boolean> => {
  const { items } = await table.query(usageList(contentId));
  if (items.length === 0) return true;
  const [ofWorkspace] = (await table.query(usageList(workspaceId), { limit: 1 })).items;
  const writes = usageEnded(workspaceId, contentId, items, Number(ofWorkspace?.position));
  return !(await table.writeUnrecorded(ofWorkspace ? writes : writes.slice(0, items.length)));
};
