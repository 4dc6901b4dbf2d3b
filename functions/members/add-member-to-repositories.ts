import { config } from '../../shared/config.ts';
import { requireValid } from '../../shared/errors.ts';
import type { Rule } from '../../shared/http/call.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { findListed } from '../../shared/http/listed-repositories.ts';
import { grant } from '../../shared/table/identity/grants.ts';
import { locate, repositoriesOf } from '../../shared/table/locate.ts';
import { addMemberToRepositories } from './contracts.ts';
import { granteeKeys, granteeOf, grantRefused, grantViolations } from './grantee.ts';

/** Enforces the maximum of the operator, which may be lower than that of the contract. */
const boundRule: Rule<typeof addMemberToRepositories> = ({ repositories }) => {
  const max = config.maxBatchRepositories;
  if (!repositories || repositories.length <= max) return [];
  const message = `repositories must be an array of 1 to ${max} items here: send the rest in further requests.`;
  return [{ pointer: '/repositories', rule: 'maxItems', message }];
};

export const handler = endpoint(
  addMemberToRepositories,
  async ({ body, workspace: { workspaceId }, loaded, table }) => {
    const { userId, membership } = granteeOf(workspaceId, body.userId, loaded);
    const { repositories: grants, violations: wrong } = findListed(workspaceId, body.repositories, loaded);
    const violations = [...grantViolations(workspaceId, membership, grants, loaded), ...wrong];
    requireValid(violations);
    const before = await grant(table, workspaceId, userId, grants, loaded);
    if (typeof before === 'string') throw grantRefused(before);
    const repositories = grants.map(({ level, ...repository }) => ({
      ...repository,
      repositoryPermissionLevel: level,
    }));
    return { userId, repositories };
  },
  {
    rules: [boundRule],
    alsoRead: ({ body, workspaceId, loaded }) => {
      const locations = (body.repositories ?? []).map(({ repositoryReference }) =>
        locate(repositoriesOf(workspaceId), repositoryReference, loaded),
      );
      const ids = locations.map(({ at }) => at);
      return [...granteeKeys(workspaceId, body.userId, ids), ...locations.flatMap(({ next }) => next)];
    },
  },
);
