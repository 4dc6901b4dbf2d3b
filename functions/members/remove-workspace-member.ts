import { endpoint } from '../../shared/http/endpoint.ts';
import { removeMember } from '../../shared/table/identity/memberships.ts';
import { removeWorkspaceMember } from './contracts.ts';
import { noMember, targetMemberKeys, targetMemberOf } from './target-member.ts';

export const handler = endpoint(
  removeWorkspaceMember,
  async ({ params, workspace, loaded, table }) => {
    const { workspaceId } = workspace;
    const member = targetMemberOf({ params, workspaceId, loaded });
    if ((await removeMember(table, workspace, member)) === 'no member') throw noMember();
    return { workspaceId, userId: member.userId, status: 'deleted' as const };
  },
  { alsoRead: targetMemberKeys },
);
