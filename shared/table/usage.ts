import { randomInt } from 'node:crypto';
import type { Table } from './client.ts';
import { usageKey, usageList } from './keys.ts';
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
  const sum = (field: keyof Usage): number => items.reduce((total, { item }) => total + (item[field] ?? 0), 0);
  return { bytes: sum('bytes'), files: sum('files'), packages: sum('packages') };
};
