import { config } from '../../shared/config.ts';
import { requireValid, type Violation } from '../../shared/errors.ts';
import type { Rule } from '../../shared/http/call.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { grant } from '../../shared/table/identity/grants.ts';
import { locate, repositoriesOf } from '../../shared/table/locate.ts';
import type { Repository } from '../../shared/table/repositories/repositories.ts';
import { addMemberToRepositories } from './contracts.ts';
import { granteeKeys, granteeOf, grantRefused, grantViolations } from './grantee.ts';

/** Enforces the maximum of the operator, which may be lower than that of the contract. */
const boundRule: Rule<typeof addMemberToRepositories> = ({ repositories }) => {
  const max = config.maxBatchRepositories;
  if (!repositories || repositories.length <= max) return [];
  const message = `repositories must be an array of 1 to ${max} items here: send the rest in further requests.`;
  return [{ pointer: '/repositories', rule: 'maxItems', message }];
};

/** A reference of the batch, and the repository that it leads to. */
interface Asked {
  readonly reference: string;
  readonly repository: Repository | undefined;
}

const areTheSame = (one: Asked, other: Asked): boolean =>
  one.repository && other.repository
    ? one.repository.repositoryId === other.repository.repositoryId
    : one.reference === other.reference;

const referenceViolations = (asked: readonly Asked[]): Violation[] => {
  const words = (index: number): string =>
    `repositories[${index}].repositoryReference '${asked[index]?.reference ?? ''}'`;
  return asked.flatMap((item, index): Violation[] => {
    const pointer = `/repositories/${index}/repositoryReference`;
    const first = asked.findIndex((other) => areTheSame(other, item));
    if (first < index) {
      const message = `${words(index)} and ${words(first)} are the same repository; list it once.`;
      return [{ pointer, rule: 'distinct', message }];
    }
    return item.repository
      ? []
      : [{ pointer, rule: 'exists', message: `${words(index)} is not a repository of this workspace.` }];
  });
};

export const handler = endpoint(
  addMemberToRepositories,
  async ({ body, workspace: { workspaceId }, loaded, table }) => {
    const { userId, membership } = granteeOf(workspaceId, body.userId, loaded);
    const asked = body.repositories.map(({ repositoryReference: reference }) => ({
      reference,
      repository: locate(repositoriesOf(workspaceId), reference, loaded).item,
    }));
    const repositories = body.repositories.flatMap(({ repositoryPermissionLevel }, index) => {
      const repository = asked[index]?.repository;
      return repository
        ? [{ repositoryId: repository.repositoryId, repositoryName: repository.name, repositoryPermissionLevel }]
        : [];
    });
    const grants = repositories.map(({ repositoryId, repositoryPermissionLevel: level }) => ({ repositoryId, level }));
    const violations = [...grantViolations(workspaceId, membership, grants, loaded), ...referenceViolations(asked)];
    requireValid(violations);
    const before = await grant(table, workspaceId, userId, grants, loaded);
    if (typeof before === 'string') throw grantRefused(before);
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
