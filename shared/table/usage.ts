import { randomInt } from 'node:crypto';
import type { Table } from './client.ts';
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

const shards = 8;

/** Moves the usage of a workspace and of the content of one of its repositories. */
export const addUsage = (workspaceId: string, contentId: string, { bytes, files, packages }: Usage): Write[] =>
  [workspaceId, contentId].map((scope) => ({
    update: usageKey(scope, randomInt(shards)),
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
  Array.from({ length: shards }, (_, shard) => usageKey(scope, shard));

/** The usage of the shards that a read found. */
export const usageOf = (scope: string, loaded: IdentityMap): Usage =>
  sumOf(usageKeys(scope).map((key) => loaded.find(key) ?? {}));

/** Adds up usages, or shards of one. */
export const sumOf = (parts: readonly UsageShard[]): Usage => {
  const sum = (field: keyof Usage): number => parts.reduce((total, part) => total + (part[field] ?? 0), 0);
  return { bytes: sum('bytes'), files: sum('files'), packages: sum('packages') };
};

/** Takes the usage of content that is out of reach away from that of its workspace; safe to repeat. */
export const endUsage = async (table: Table, workspaceId: string, contentId: string): Promise<void> => {
  const [ended, rest] = await Promise.all([
    table.query(usageList(contentId)),
    table.query(usageList(workspaceId), { limit: 1 }),
  ]);
  if (ended.items.length === 0) return;
  const { bytes, files, packages } = sumOf(ended.items.map(({ item }) => item));
  await table.write([
    ...ended.items.map(({ position }) => ({
      remove: usageKey(contentId, Number(position)),
      if: 'attribute_exists(pk)',
    })),
    // A workspace that is gone has no shards, and gets none.
    ...rest.items.map(({ position }) => ({
      update: usageKey(workspaceId, Number(position)),
      set: 'ADD #bytes :bytes, #files :files, #packages :packages',
      if: 'attribute_exists(pk)',
      values: { ':bytes': -bytes, ':files': -files, ':packages': -packages },
    })),
  ]);
};
