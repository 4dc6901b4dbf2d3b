import { endpoint } from '../../shared/http/endpoint.ts';
import { listWorkspacesOfUser } from '../../shared/table/workspaces-of-user.ts';
import { getCurrentUser } from './contracts.ts';
import { userRecord } from './record.ts';

const everything = { limit: undefined, after: undefined };

export const handler = endpoint(getCurrentUser, async ({ caller, table }) => {
  const { user, token } = caller;
  const { entries } = await listWorkspacesOfUser(table, user.userId, everything);
  return {
    ...userRecord(user),
    token: token ? { id: token.tokenId, name: token.name, expirationDate: token.expirationDate } : null,
    workspaces: entries.map(({ item: { workspace, membership } }) => ({
      workspaceId: workspace.workspaceId,
      name: workspace.name,
      role: membership.role,
    })),
  };
});
