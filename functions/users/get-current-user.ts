import { endpoint } from '../../shared/http/endpoint.ts';
import { listEntriesMax } from '../../shared/limits.ts';
import { listWorkspacesOfUser } from '../../shared/table/workspaces-of-user.ts';
import { getCurrentUser } from './contracts.ts';
import { userRecord } from './record.ts';

const asMany = { limit: listEntriesMax, after: undefined };

export const handler = endpoint(getCurrentUser, async ({ caller, table }) => {
  const { user, token } = caller;
  const { entries } = await listWorkspacesOfUser(table, user.userId, asMany, ({ workspaceId, name }, { role }) => ({
    workspaceId,
    name,
    role,
  }));
  return {
    ...userRecord(user),
    token: token ? { id: token.tokenId, name: token.name, expirationDate: token.expirationDate } : null,
    workspaces: entries.map(({ item }) => item),
  };
});
