import { endpoint } from '../../shared/http/endpoint.ts';
import { membershipKey } from '../../shared/table/keys.ts';
import { mapEntries } from '../../shared/table/lists.ts';
import { listAllWorkspaces } from '../../shared/table/workspaces.ts';
import { listWorkspacesOfUser } from '../../shared/table/workspaces-of-user.ts';
import { listWorkspaces } from './contracts.ts';
import { listedWorkspace } from './record.ts';

export const handler = endpoint(listWorkspaces, async ({ caller, page, table }) => {
  const { userId } = caller.user;
  if (!caller.isSystemAdmin)
    return mapEntries(await listWorkspacesOfUser(table, userId, page), ({ workspace, membership }) =>
      listedWorkspace(workspace, membership),
    );
  const all = await listAllWorkspaces(table, page);
  const keyOf = (workspaceId: string) => membershipKey(workspaceId, userId);
  const own = await table.read(all.entries.map(({ item }) => keyOf(item.workspaceId)));
  return mapEntries(all, (workspace) => listedWorkspace(workspace, own.find(keyOf(workspace.workspaceId))));
});
