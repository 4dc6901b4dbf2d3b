import type { Table } from './client.ts';
import { membershipKey, workspaceKey, workspacesOfUserList } from './keys.ts';
import { listPage, type PageRequest } from './lists.ts';
import type { Membership } from './memberships.ts';
import type { Workspace } from './workspaces.ts';

/** A workspace, and the membership of a user in it. */
interface WorkspaceOfUser {
  readonly workspace: Workspace;
  readonly membership: Membership;
}

/**
 * Lists the workspaces that a user is a member of, by name. Entries of deleted workspaces exist until the sweeper
 * removes them, so only entries with both a workspace and a membership count.
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
