import { randomUUID } from 'node:crypto';
import type { Table } from './client.ts';
import { type Remember, rememberNothing } from './creations.ts';
import { heldBy, sweepKey, workspaceKey, workspaceNameKey } from './keys.ts';
import { endRepositoryCount, initialShards, startRepositoryCount } from './repository-count.ts';
import { insertion } from './writes.ts';

/** A workspace as stored. */
export interface Workspace {
  readonly workspaceId: string;
  readonly name: string;
  readonly comments: string;
  /** The number of shards of its repository count; release 0.1.0 stored it under this name. */
  readonly countShares: number;
  /** In bytes; null or absent: none. */
  readonly storageLimit?: number | null;
  readonly packageLimit?: number | null;
  readonly createdAt: string;
}

/** Creates a workspace, unless its name is taken. */
export const insertWorkspace = async (
  table: Table,
  fields: Pick<Workspace, 'name' | 'comments' | 'storageLimit' | 'packageLimit'>,
  remember: Remember = rememberNothing,
): Promise<Workspace | 'name taken'> => {
  const workspace: Workspace = {
    ...fields,
    workspaceId: randomUUID(),
    countShares: initialShards,
    createdAt: new Date().toISOString(),
  };
  const { workspaceId, name } = workspace;
  const refusal = await table.write([
    insertion(workspaceKey(workspaceId), workspace),
    insertion(workspaceNameKey(name), { id: workspaceId }),
    ...startRepositoryCount(workspaceId),
    ...remember(workspaceId),
  ]);
  return refusal ? 'name taken' : workspace;
};

/** The fields of a workspace that can change; null clears a limit. */
export type WorkspaceChanges = Partial<Pick<Workspace, 'comments' | 'storageLimit' | 'packageLimit'>>;

/** Changes a workspace and returns it as it is then; undefined when it is gone. */
export const changeWorkspace = async (
  table: Table,
  workspace: Workspace,
  changes: WorkspaceChanges,
): Promise<Workspace | undefined> => {
  const entries = Object.entries(changes);
  if (entries.length === 0) return workspace;
  const key = workspaceKey(workspace.workspaceId);
  const outcome = await table.update({
    update: key,
    set: `SET ${entries.map(([name]) => `#${name} = :${name}`).join(', ')}`,
    if: 'attribute_exists(pk)',
    values: Object.fromEntries(entries.map(([name, value]) => [`:${name}`, value])),
  });
  const before = 'before' in outcome ? heldBy(key, outcome.before) : undefined;
  return before && { ...before, ...changes };
};

/**
 * Removes a workspace that contains no repositories, and checks that in the same transaction. No request can reach its
 * memberships any more, and an entry in a queue lets the sweeper remove them.
 */
export const removeWorkspace = async (
  table: Table,
  workspace: Workspace,
): Promise<'removed' | 'gone' | 'not empty'> => {
  const { workspaceId, name, countShares: shards } = workspace;
  const refusal = await table.write([
    { remove: workspaceKey(workspaceId), if: 'attribute_exists(pk)' },
    { remove: workspaceNameKey(name), if: '#id = :id', values: { ':id': workspaceId } },
    ...endRepositoryCount(workspaceId, shards),
    insertion(sweepKey(workspaceId), { name, deletedAt: new Date().toISOString() }),
  ]);
  if (!refusal) return 'removed';
  return refusal[0] ? 'gone' : 'not empty';
};
