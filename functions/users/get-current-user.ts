import { endpoint } from '../../shared/http/endpoint.ts';
import { limitsRecord } from '../../shared/http/limits-record.ts';
import { listEntriesMax } from '../../shared/limits.ts';
import { listWorkspacesOfUser } from '../../shared/table/identity/workspaces-of-user.ts';
import { getCurrentUser } from './contracts.ts';
import { userRecord } from './record.ts';

const asMany = { limit: listEntriesMax, after: undefined };

export const handler = endpoint(getCurrentUser, async ({ caller, table }) => {
  const { user, token, limits, workspaces } = caller;
  const { among } = workspaces;
  const { entries } = await listWorkspacesOfUser(table, user.userId, asMany, ({ workspaceId, name }, { role }) =>
    among && !among.includes(workspaceId) ? undefined : { workspaceId, name, role },
  );
  return {
    ...userRecord(user),
    token: token
      ? { id: token.tokenId, name: token.name, expirationDate: token.expirationDate, limits: limitsRecord(limits) }
      : null,
    workspaces: entries.map(({ item }) => item),
  };
});
