import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { levelOn, revoke } from '../../shared/table/memberships.ts';
import { removeRepositoryMember } from './contracts.ts';
import { memberKeys, memberOf } from './member-reference.ts';

export const handler = endpoint(
  removeRepositoryMember,
  async ({ params, repository: { workspaceId, repositoryId }, loaded, table }) => {
    const member = memberOf(workspaceId, params.user, loaded);
    const holds = member && levelOn(member, repositoryId);
    if (!holds || (await revoke(table, workspaceId, member.userId, repositoryId)) === 'no grant')
      throw new ApiError('MEMBER_NOT_FOUND', 'This user holds no permission on this repository.');
    return { repositoryId, userId: member.userId, status: 'removed' as const };
  },
  { alsoRead: ({ params, workspaceId, loaded }) => memberKeys(workspaceId, params.user, loaded) },
);
