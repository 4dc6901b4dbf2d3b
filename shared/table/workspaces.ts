import { randomUUID } from 'node:crypto';
import type { Item, Table } from './client.ts';
import { type Key, repositoryCountKey, sweepKey, workspaceKey, workspaceNameKey } from './keys.ts';
import { listOf, type PageRequest, walk } from './lists.ts';
import type { Seen } from './references.ts';
import type { Write } from './writes.ts';

/** A workspace as stored. The number of its repositories is kept in shares, so that parallel creates do not collide. */
export interface Workspace {
  readonly workspaceId: string;
  readonly name: string;
  readonly comments: string;
  readonly countShards: number;
  readonly createdAt: string;
}

/** Shares of the repository count of a new workspace; every create in it moves one of them. */
const countShards = 8;

/** The keys of all shares of a workspace's repository count. */
export const repositoryCountKeys = (workspaceId: string, shards = countShards): Key[] =>
  Array.from({ length: shards }, (_, shard) => repositoryCountKey(workspaceId, shard));

/** The number of repositories, of the shares that a read found. */
export const repositoryCountOf = ({ workspaceId, countShards: shards }: Workspace, seen: Seen): number =>
  repositoryCountKeys(workspaceId, shards).reduce((sum, key) => sum + Number(seen.find(key)?.repositoryCount ?? 0), 0);

/** The workspace of an item that a read found. */
export const workspaceOf = (item: Item | undefined): Workspace | undefined => item && (item as unknown as Workspace);

/** Creates a workspace, unless its name is taken. */
export const insertWorkspace = async (
  table: Table,
  fields: Pick<Workspace, 'name' | 'comments'>,
): Promise<Workspace | 'name taken'> => {
  const workspace: Workspace = {
    ...fields,
    workspaceId: randomUUID(),
    countShards,
    createdAt: new Date().toISOString(),
  };
  const { workspaceId, name } = workspace;
  const shares = repositoryCountKeys(workspaceId).map((key) => ({ insert: { ...key, repositoryCount: 0 } }));
  const refusal = await table.write([
    { insert: { ...workspaceKey(workspaceId), ...workspace } },
    { insert: { ...workspaceNameKey(name), id: workspaceId } },
    ...shares,
  ]);
  return refusal ? 'name taken' : workspace;
};

/**
 * Moves the repository count of a workspace in the transaction that creates or removes a repository. It is refused once
 * the workspace is gone, so no repository is ever left without one.
 */
export const countRepositories = (workspaceId: string, shard: number, change: 1 | -1): Write => ({
  update: repositoryCountKey(workspaceId, shard),
  set: 'ADD #repositoryCount :change',
  if: 'attribute_exists(pk)',
  values: { ':change': change },
});

/** What every check that a workspace still exists looks like, in a transaction that does not move its count. */
export const checkWorkspace = (workspaceId: string): Write => ({
  check: workspaceKey(workspaceId),
  if: 'attribute_exists(pk)',
});

/**
 * Removes a workspace that holds no repositories, in the one transaction that also proves it. Its memberships cannot be
 * reached any more; a note is left to sweep them.
 */
export const removeWorkspace = async (
  table: Table,
  workspace: Workspace,
): Promise<'removed' | 'gone' | 'not empty'> => {
  const { workspaceId, name, countShards: shards } = workspace;
  const refusal = await table.write([
    { remove: workspaceKey(workspaceId), if: 'attribute_exists(pk)' },
    { remove: workspaceNameKey(name), if: '#id = :id', values: { ':id': workspaceId } },
    ...repositoryCountKeys(workspaceId, shards).map((key) => ({
      remove: key,
      if: '#repositoryCount = :none',
      values: { ':none': 0 } as const,
    })),
    { insert: { ...sweepKey(workspaceId), name, deletedAt: new Date().toISOString() } },
  ]);
  if (!refusal) return 'removed';
  return refusal[0] ? 'gone' : 'not empty';
};

/** Lists all workspaces by name. */
export const listAllWorkspaces = (table: Table, page: PageRequest) =>
  walk(table, listOf(workspaceNameKey('')), page, async (entries) => {
    const keys = entries.map((entry) => workspaceKey(String(entry.id)));
    const found = await table.read(keys);
    return keys.map((key) => workspaceOf(found.find(key)));
  });
