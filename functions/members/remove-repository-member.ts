import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { locate, membersOf } from '../../shared/table/locate.ts';
import { levelOn, revoke } from '../../shared/table/memberships.ts';
import { removeRepositoryMember } from './contracts.ts';

export const handler = endpoint(
  removeRepositoryMember,
  async ({ params, repository: { workspaceId, repositoryId }, loaded, table }) => {
    const { item: member } = locate(membersOf(workspaceId), params.user, loaded);
    const holds = member && levelOn(member, repositoryId);
    if (!holds || (await revoke(table, workspaceId, member.userId, repositoryId)) === 'no grant')
      throw new ApiError('MEMBER_NOT_FOUND', 'This user holds no permission on this repository.');
    return { repositoryId, userId: member.userId, status: 'removed' as const };
  },
  { alsoRead: ({ params, workspaceId, loaded }) => locate(membersOf(workspaceId), params.user, loaded).next },
);
