import { endpoint } from '../../shared/http/endpoint.ts';
import { getWorkspaceMember } from './contracts.ts';
import { targetMemberKeys, targetMemberOf } from './target-member.ts';

export const handler = endpoint(
  getWorkspaceMember,
  async ({ params, workspace: { workspaceId }, loaded }) => {
    const { userId, username, role } = targetMemberOf({ params, workspaceId, loaded });
    return { workspaceId, userId, username, role };
  },
  { alsoRead: targetMemberKeys },
);
