import { endpoint } from '../../shared/http/endpoint.ts';
import { revoke } from '../../shared/table/identity/grants.ts';
import { removeRepositoryMember } from './contracts.ts';
import { noGrant, targetGrantKeys, targetGrantOf } from './target-member.ts';

export const handler = endpoint(
  removeRepositoryMember,
  async ({ repository, table, loaded, params }) => {
    const { workspaceId, repositoryId } = repository;
    const { userId } = targetGrantOf({ params, loaded }, repository).member;
    const revoked = await revoke(table, workspaceId, userId, [repositoryId], loaded);
    if (typeof revoked === 'string' || revoked.size === 0) throw noGrant();
    return { repositoryId, userId, status: 'deleted' as const };
  },
  { alsoRead: targetGrantKeys },
);
