import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { setMember } from '../../shared/table/identity/memberships.ts';
import { addWorkspaceMember } from './contracts.ts';
import { granteeKeys, granteeOf } from './grantee.ts';

export const handler = endpoint(
  addWorkspaceMember,
  async ({ body, workspace, loaded, table }) => {
    const { workspaceId } = workspace;
    const { userId, username, membership } = granteeOf(workspaceId, body.userId, loaded);
    const role = body.role ?? 'member';
    const outcome = await setMember(table, workspace, { userId, username, role }, membership);
    if (outcome === 'workspace gone') throw new ApiError('WORKSPACE_NOT_FOUND');
    return { status: outcome === 'added' ? 201 : 200, result: { workspaceId, userId, username, role } };
  },
  { alsoRead: ({ body, workspaceId }) => granteeKeys(workspaceId, body.userId) },
);
