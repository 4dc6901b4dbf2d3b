import { endpoint } from '../../shared/http/endpoint.ts';
import { getRepositoryMember } from './contracts.ts';
import { targetGrantKeys, targetGrantOf } from './target-member.ts';

export const handler = endpoint(
  getRepositoryMember,
  async ({ repository, ...call }) => {
    const { workspaceId, repositoryId, name: repositoryName } = repository;
    const { member, level } = targetGrantOf(call, repository);
    const { userId, username } = member;
    return { workspaceId, repositoryId, repositoryName, userId, username, repositoryPermissionLevel: level };
  },
  { alsoRead: targetGrantKeys },
);
