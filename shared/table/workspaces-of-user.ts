import type { Table } from './client.ts';
import { membershipKey, workspaceKey, workspaceOfUserKey } from './keys.ts';
import { listPage, type PageRequest } from './lists.ts';
import { type Membership, membershipOf } from './memberships.ts';
import { type Workspace, workspaceOf } from './workspaces.ts';

/** A workspace and what a user is there. */
export interface WorkspaceOfUser {
  readonly workspace: Workspace;
  readonly membership: Membership;
}

/**
 * Lists the workspaces that a user is a member of, by name. Entries of deleted workspaces wait for the sweeper: only where
 * both the workspace and the membership exist is there something to tell.
 */
export const listWorkspacesOfUser = async (table: Table, userId: string, page: PageRequest) => {
  const { pk } = workspaceOfUserKey(userId, '', '');
  return listPage<WorkspaceOfUser>(table, { pk, prefix: 'WORKSPACE#' }, page, async (entries) => {
    const ids = entries.map(({ id }) => String(id));
    const found = await table.read(ids.flatMap((id) => [workspaceKey(id), membershipKey(id, userId)]));
    return ids.map((id) => {
      const workspace = workspaceOf(found.find(workspaceKey(id)));
      const membership = membershipOf(found.find(membershipKey(id, userId)));
      return workspace && membership && { workspace, membership };
    });
  });
};
