import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { locate, membersOf } from '../../shared/table/locate.ts';
import { removeMember } from '../../shared/table/memberships.ts';
import { removeWorkspaceMember } from './contracts.ts';

export const handler = endpoint(
  removeWorkspaceMember,
  async ({ params, workspace, loaded, table }) => {
    const { workspaceId } = workspace;
    const { item: member } = locate(membersOf(workspaceId), params.user, loaded);
    if (!member || (await removeMember(table, workspace, member)) === 'no member')
      throw new ApiError('MEMBER_NOT_FOUND', 'This user is not a member of this workspace.');
    return { workspaceId, userId: member.userId, status: 'removed' as const };
  },
  { alsoRead: ({ params, workspaceId, loaded }) => locate(membersOf(workspaceId), params.user, loaded).next },
);
