import { randomUUID } from 'node:crypto';
import { type Change, difference, type Fields } from '../changes.ts';
import type { Table } from '../client.ts';
import { type Remember, rememberNothing } from '../creations.ts';
import { sweepKey, workspaceKey, workspaceNameKey } from '../keys.ts';
import { untilSettled } from '../races.ts';
import { foundBy, insertion, type Update } from '../writes.ts';
import { endRepositoryCount, initialShards, startRepositoryCount } from './repository-count.ts';

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

/** The fields of a workspace that a record has. */
const fieldsOf = ({ name, comments, storageLimit, packageLimit, createdAt }: Workspace): Fields => ({
  name,
  comments,
  storageLimit,
  packageLimit,
  createdAt,
});

const changeOf = (
  action: Change['action'],
  { workspaceId, name }: Workspace,
  fields: Pick<Change, 'before' | 'after'>,
): Change => ({ action, workspaceId, target: { id: workspaceId, name }, ...fields });

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
  const refusal = await table.write(
    [
      insertion(workspaceKey(workspaceId), workspace),
      insertion(workspaceNameKey(name), { id: workspaceId }),
      ...startRepositoryCount(workspaceId),
      ...remember(workspaceId),
    ],
    changeOf('workspace.created', workspace, { before: null, after: fieldsOf(workspace) }),
  );
  return refusal ? 'name taken' : workspace;
};

/** The fields of a workspace that can change; null clears a limit. */
export type WorkspaceChanges = Partial<Pick<Workspace, 'comments' | 'storageLimit' | 'packageLimit'>>;

/** Changes a workspace and returns it as it is then. It reads again if another request has changed the same fields. */
export const changeWorkspace = async (
  table: Table,
  workspace: Workspace,
  changes: WorkspaceChanges,
): Promise<Workspace | 'gone'> => {
  let current = workspace;
  return untilSettled(table, async () => {
    const next = { ...current, ...changes };
    const change = difference(fieldsOf(current), fieldsOf(next));
    if (Object.keys(change.after).length === 0) return current;
    const refusal = await table.write(
      [update(current, change.after)],
      changeOf('workspace.changed', workspace, change),
    );
    if (!refusal) return next;
    const found = foundBy(workspaceKey(workspace.workspaceId), refusal);
    if (!found) return 'gone';
    current = found;
    return undefined;
  });
};

/** Sets fields of a workspace if they are as they were read. */
const update = (before: Workspace, after: Fields): Update => {
  const names = Object.keys(after);
  const known = Object.entries(before).filter(([name]) => names.includes(name));
  const unchanged = names.map((name) =>
    name in before ? `#${name} = :${name}Before` : `attribute_not_exists(#${name})`,
  );
  return {
    update: workspaceKey(before.workspaceId),
    set: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}`,
    if: ['attribute_exists(pk)', ...unchanged].join(' AND '),
    values: {
      ...Object.fromEntries(names.map((name) => [`:${name}`, after[name]])),
      ...Object.fromEntries(known.map(([name, value]) => [`:${name}Before`, value])),
    },
  };
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
  const refusal = await table.write(
    [
      { remove: workspaceKey(workspaceId), if: 'attribute_exists(pk)' },
      { remove: workspaceNameKey(name), if: '#id = :id', values: { ':id': workspaceId } },
      ...endRepositoryCount(workspaceId, shards),
      insertion(sweepKey(workspaceId), { name, deletedAt: new Date().toISOString() }),
    ],
    changeOf('workspace.deleted', workspace, { before: fieldsOf(workspace), after: null }),
  );
  if (!refusal) return 'removed';
  return refusal[0] ? 'gone' : 'not empty';
};
