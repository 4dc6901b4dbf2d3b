import { newToken } from '../../shared/auth/tokens.ts';
import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { listedRepositoryKeys } from '../../shared/http/listed-repositories.ts';
import { insertWorkspaceToken } from '../../shared/table/identity/workspace-tokens.ts';
import { createWorkspaceToken } from './contracts.ts';
import { expirationOf, expirationRule } from './expiration.ts';
import { grantsOf, grantsRule } from './grants.ts';
import { newWorkspaceTokenRecord } from './record.ts';

export const handler = endpoint(
  createWorkspaceToken,
  async ({ body, caller, workspace: { workspaceId }, loaded, table }) => {
    const secret = newToken('workspace');
    const token = await insertWorkspaceToken(table, secret, {
      workspaceId,
      name: body.name,
      expirationDate: expirationOf(body.expirationDate ?? null, caller.token),
      createdBy: caller.user.userId,
      grants: grantsOf(workspaceId, body, loaded),
    });
    if (token === 'workspace gone') throw new ApiError('WORKSPACE_NOT_FOUND');
    return newWorkspaceTokenRecord(token, secret);
  },
  { rules: [expirationRule, grantsRule], alsoRead: listedRepositoryKeys },
);
