import type { Table } from './client.ts';
import { membershipKey, workspaceKey, workspacesOfUserList } from './keys.ts';
import { listPage, type PageRequest } from './lists.ts';
import type { Membership } from './memberships.ts';
import type { Workspace } from './workspaces.ts';

/** A workspace and what a user is there. */
interface WorkspaceOfUser {
  readonly workspace: Workspace;
  readonly membership: Membership;
}

/**
 * Lists the workspaces that a user is a member of, by name. Entries of deleted workspaces wait for the sweeper: only where
 * both the workspace and the membership exist is there something to tell.
 */
export const listWorkspacesOfUser = (table: Table, userId: string, page: PageRequest) =>
  listPage(table, workspacesOfUserList(userId), page, async (entries): Promise<(WorkspaceOfUser | undefined)[]> => {
    const found = await table.read(entries.flatMap(({ id }) => [workspaceKey(id), membershipKey(id, userId)]));
    return entries.map(({ id }) => {
      const workspace = found.find(workspaceKey(id));
      const membership = found.find(membershipKey(id, userId));
      return workspace && membership && { workspace, membership };
    });
  });
