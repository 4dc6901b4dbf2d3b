import { endpoint } from '../../shared/http/endpoint.ts';
import { listAllWorkspaces, listWorkspacesOfUser } from '../../shared/table/identity/workspaces-of-user.ts';
import { listWorkspaces } from './contracts.ts';
import { listedWorkspace } from './record.ts';

export const handler = endpoint(listWorkspaces, async ({ caller, page, table }) => {
  const { isEvery, among } = caller.workspaces;
  const list = isEvery ? listAllWorkspaces : listWorkspacesOfUser;
  return list(table, caller.user.userId, page, (workspace, membership) =>
    among && !among.includes(workspace.workspaceId) ? undefined : listedWorkspace(workspace, membership),
  );
});
