import { endpoint } from '../../shared/http/endpoint.ts';
import { revoke } from '../../shared/table/memberships.ts';
import { removeRepositoryMember } from './contracts.ts';
import { noGrant, targetGrantOf, targetMemberKeys } from './target-member.ts';

export const handler = endpoint(
  removeRepositoryMember,
  async ({ repository, table, ...call }) => {
    const { workspaceId, repositoryId } = repository;
    const { userId } = targetGrantOf(call, repository).member;
    if ((await revoke(table, workspaceId, userId, repositoryId)) === 'no grant') throw noGrant();
    return { repositoryId, userId, status: 'deleted' as const };
  },
  { alsoRead: targetMemberKeys },
);
