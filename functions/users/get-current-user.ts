import { endpoint } from '../../shared/http/endpoint.ts';
import { limitsRecord } from '../../shared/http/limits-record.ts';
import { rememberedWorkspaceKeys, workspacesOfCaller } from '../../shared/table/identity/workspaces-of-user.ts';
import { getCurrentUser } from './contracts.ts';
import { userRecord } from './record.ts';

export const handler = endpoint(
  getCurrentUser,
  async ({ caller, loaded, table }) => {
    const { user, token, limits, workspaces } = caller;
    const { among } = workspaces;
    return {
      ...userRecord(user),
      token: token
        ? { id: token.tokenId, name: token.name, expirationDate: token.expirationDate, limits: limitsRecord(limits) }
        : null,
      workspaces: await workspacesOfCaller(table, user, loaded, ({ workspaceId, name }, { role }) =>
        among && !among.includes(workspaceId) ? undefined : { workspaceId, name, role },
      ),
    };
  },
  { alsoRead: ({ actorId }) => rememberedWorkspaceKeys(actorId ?? '') },
);
