import { requireValid } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { grant } from '../../shared/table/identity/grants.ts';
import { locate, repositoriesOf } from '../../shared/table/locate.ts';
import { addRepositoryMember } from './contracts.ts';
import { granteeKeys, granteeOf, grantRefused, grantViolations } from './grantee.ts';

export const handler = endpoint(
  addRepositoryMember,
  async ({ body, repository, loaded, table }) => {
    const { workspaceId, repositoryId, name } = repository;
    const { userId, membership } = granteeOf(workspaceId, body.userId, loaded);
    const level = body.repositoryPermissionLevel ?? 'canView';
    const grants = [{ repositoryId, level }];
    const violations = grantViolations(workspaceId, membership, grants, loaded);
    requireValid(violations);
    const before = await grant(table, workspaceId, userId, grants, loaded);
    if (typeof before === 'string') throw grantRefused(before);
    const result = { workspaceId, repositoryId, repositoryName: name, userId, repositoryPermissionLevel: level };
    return { status: before.has(repositoryId) ? 200 : 201, result };
  },
  {
    alsoRead: ({ params, body, workspaceId, loaded }) =>
      granteeKeys(workspaceId, body.userId, [locate(repositoriesOf(workspaceId), params.repository, loaded).at]),
  },
);
