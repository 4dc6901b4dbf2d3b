import { invalid } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { grant, levelOn } from '../../shared/table/memberships.ts';
import { addRepositoryMember } from './contracts.ts';
import { granteeKeys, granteeOf, grantRefused, grantViolations } from './grantee.ts';

export const handler = endpoint(
  addRepositoryMember,
  async ({ body, repository, loaded, table }) => {
    const { workspaceId, repositoryId, name } = repository;
    const { userId, membership } = granteeOf(workspaceId, body.userId, loaded);
    const violations = grantViolations(membership, 1);
    if (violations.length > 0) throw invalid(violations);
    const level = body.repositoryPermissionLevel ?? 'canView';
    const before = await grant(table, workspaceId, userId, [{ repositoryId, level }], membership);
    if (typeof before === 'string') throw grantRefused(before);
    const result = { workspaceId, repositoryId, repositoryName: name, userId, repositoryPermissionLevel: level };
    return { status: levelOn(before, repositoryId) ? 200 : 201, result };
  },
  { alsoRead: ({ body, workspaceId }) => granteeKeys(workspaceId, body.userId) },
);
