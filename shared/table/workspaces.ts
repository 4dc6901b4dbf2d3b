import { randomUUID } from 'node:crypto';
import type { Table } from './client.ts';
import { type Item, sweepKey, workspaceKey, workspaceNameKey } from './keys.ts';
import { listOf, listPage, type PageRequest } from './lists.ts';
import { endRepositoryCount, initialShards, startRepositoryCount } from './repository-count.ts';

/** A workspace as stored. */
export interface Workspace {
  readonly workspaceId: string;
  readonly name: string;
  readonly comments: string;
  /** Shares of its repository count. */
  readonly countShares: number;
  readonly createdAt: string;
}

/** The workspace of an item that a read found. */
export const workspaceOf = (item: Item | undefined): Workspace | undefined => item as unknown as Workspace | undefined;

/** Creates a workspace, unless its name is taken. */
export const insertWorkspace = async (
  table: Table,
  fields: Pick<Workspace, 'name' | 'comments'>,
): Promise<Workspace | 'name taken'> => {
  const workspace: Workspace = {
    ...fields,
    workspaceId: randomUUID(),
    countShares: initialShards,
    createdAt: new Date().toISOString(),
  };
  const { workspaceId, name } = workspace;
  const refusal = await table.write([
    { insert: { ...workspaceKey(workspaceId), ...workspace } },
    { insert: { ...workspaceNameKey(name), id: workspaceId } },
    ...startRepositoryCount(workspaceId),
  ]);
  return refusal ? 'name taken' : workspace;
};

/**
 * Removes a workspace that holds no repositories, in the one transaction that also proves it. Its memberships cannot be
 * reached any more; a note is left to sweep them.
 */
export const removeWorkspace = async (
  table: Table,
  workspace: Workspace,
): Promise<'removed' | 'gone' | 'not empty'> => {
  const { workspaceId, name, countShares } = workspace;
  const refusal = await table.write([
    { remove: workspaceKey(workspaceId), if: 'attribute_exists(pk)' },
    { remove: workspaceNameKey(name), if: '#id = :id', values: { ':id': workspaceId } },
    ...endRepositoryCount(workspaceId, countShares),
    { insert: { ...sweepKey(workspaceId), name, deletedAt: new Date().toISOString() } },
  ]);
  if (!refusal) return 'removed';
  return refusal[0] ? 'gone' : 'not empty';
};

/** Lists all workspaces by name. */
export const listAllWorkspaces = (table: Table, page: PageRequest) =>
  listPage(table, listOf(workspaceNameKey('')), page, async (entries) => {
    const keys = entries.map((entry) => workspaceKey(String(entry.id)));
    const found = await table.read(keys);
    return keys.map((key) => workspaceOf(found.find(key)));
  });
