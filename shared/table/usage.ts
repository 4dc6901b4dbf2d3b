import { randomInt } from 'node:crypto';
import type { Positioned, Table } from './client.ts';
import type { IdentityMap } from './identity-map.ts';
import { type Key, usageKey, usageList } from './keys.ts';
import type { Write } from './writes.ts';

/** What is stored, in bytes and counts. */
export interface Usage {
  readonly bytes: number;
  readonly files: number;
  readonly packages: number;
}

/** Part of the usage of a workspace or of the content of a repository: parallel publishes rarely meet on one item. */
export type UsageShard = Partial<Usage>;

const shardCount = 8;

/** Moves the usage of a workspace and of the content of one of its repositories. */
export const addUsage = (workspaceId: string, contentId: string, { bytes, files, packages }: Usage): Write[] =>
  [workspaceId, contentId].map((scope) => ({
    update: usageKey(scope, randomInt(shardCount)),
    set: 'ADD #bytes :bytes, #files :files, #packages :packages',
    values: { ':bytes': bytes, ':files': files, ':packages': packages },
  }));

/** The usage of a workspace or of the content of a repository. */
export const readUsage = async (table: Table, scope: string): Promise<Usage> => {
  const { items } = await table.query(usageList(scope));
  return sumOf(items.map(({ item }) => item));
};

/** The keys of all shards, for who reads them with others. */
export const usageKeys = (scope: string): Key<UsageShard>[] =>
  Array.from({ length: shardCount }, (_, shard) => usageKey(scope, shard));

/** The usage of the shards that a read found. */
export const usageOf = (scope: string, loaded: IdentityMap): Usage =>
  sumOf(usageKeys(scope).map((key) => loaded.find(key) ?? {}));

/** Adds up usages, or shards of one. */
export const sumOf = (parts: readonly UsageShard[]): Usage => {
  const sum = (field: keyof Usage): number => parts.reduce((total, part) => total + (part[field] ?? 0), 0);
  return { bytes: sum('bytes'), files: sum('files'), packages: sum('packages') };
};

/**
 * The writes that take the usage of content away from that of its workspace, in the transaction that puts the content out of
 * reach. `shards` is what a query of the content's usage found; the writes are refused when it has changed since.
 */
export const usageEnded = (
  workspaceId: string,
  contentId: string,
  shards: readonly Positioned<UsageShard>[],
  workspaceShard = randomInt(shardCount),
): Write[] => {
  if (shards.length === 0) return [];
  const { bytes, files, packages } = sumOf(shards.map(({ item }) => item));
  return [
    ...shards.map(({ position, item }) => ({
      remove: usageKey(contentId, Number(position)),
      if: '#bytes = :bytes AND #files = :files AND #packages = :packages',
      values: { ':bytes': item.bytes, ':files': item.files, ':packages': item.packages },
    })),
    {
      update: usageKey(workspaceId, workspaceShard),
      set: 'ADD #bytes :bytes, #files :files, #packages :packages',
      values: { ':bytes': -bytes, ':files': -files, ':packages': -packages },
    },
  ];
};

/**
 * Takes the usage of content that is out of reach away from that of its workspace, if the transaction that put it out of reach
 * missed a part. Safe to repeat. A workspace that is gone has no shards, and gets none.
 */
export const endUsage = async (table: Table, workspaceId: string, contentId: string): Promise<void> => {
  const { items } = await table.query(usageList(contentId));
  if (items.length === 0) return;
  const [ofWorkspace] = (await table.query(usageList(workspaceId), { limit: 1 })).items;
  const writes = usageEnded(workspaceId, contentId, items, Number(ofWorkspace?.position));
  await table.write(ofWorkspace ? writes : writes.slice(0, items.length));
};
