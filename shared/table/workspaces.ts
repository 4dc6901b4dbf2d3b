import { randomUUID } from 'node:crypto';
import type { Item, Table } from './client.ts';
import { repositoryCountKey, workspaceKey, workspaceNameKey } from './keys.ts';
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
  const shares = Array.from({ length: countShards }, (_, shard) => ({
    insert: { ...repositoryCountKey(workspaceId, shard), repositoryCount: 0 },
  }));
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
