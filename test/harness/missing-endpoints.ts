import type { WorkspaceRole } from '../../shared/access.ts';
import type { Table } from '../../shared/table/client.ts';
import {
  memberNameKey,
  membershipKey,
  repositoryCountKey,
  tokenKey,
  userKey,
  workspaceKey,
  workspaceOfUserKey,
} from '../../shared/table/keys.ts';
import type { Membership } from '../../shared/table/memberships.ts';
import { workspaceOf } from '../../shared/table/workspaces.ts';

/** What the tests need and no endpoint offers yet, by the keys and the types of the project's table layer. */

/** Makes a user a member of a workspace. */
export const insertMembership = async (
  table: Table,
  workspace: { readonly id: string; readonly name: string },
  { userId, username }: Pick<Membership, 'userId' | 'username'>,
  role: WorkspaceRole,
): Promise<void> => {
  const membership: Membership = { userId, username, role };
  const refusal = await table.write([
    { insert: { ...membershipKey(workspace.id, userId), ...membership } },
    { insert: { ...memberNameKey(workspace.id, username), id: userId } },
    { insert: { ...workspaceOfUserKey(userId, workspace.name, workspace.id), id: workspace.id } },
  ]);
  if (refusal) throw new Error(`${username} is a member of ${workspace.name} already.`);
};

export const updateDisabled = async (table: Table, username: string, disabled: boolean): Promise<void> => {
  const values = { ':disabled': disabled };
  await table.update({
    update: userKey(username),
    set: 'SET #disabled = :disabled',
    if: 'attribute_exists(pk)',
    values,
  });
};

export const removeToken = async (table: Table, tokenId: string): Promise<void> => {
  await table.write([{ remove: tokenKey(tokenId), if: 'attribute_exists(pk)' }]);
};

/** The number of repositories that a workspace counts, over all shares. */
export const countRepositoriesOf = async (table: Table, workspaceId: string): Promise<number> => {
  const key = workspaceKey(workspaceId);
  const workspace = workspaceOf((await table.read([key])).find(key));
  if (!workspace) throw new Error(`There is no workspace ${workspaceId}.`);
  const keys = Array.from({ length: workspace.countShards }, (_, shard) => repositoryCountKey(workspaceId, shard));
  const counts = await table.read(keys);
  return keys.reduce((sum, shard) => sum + Number(counts.find(shard)?.repositoryCount), 0);
};
