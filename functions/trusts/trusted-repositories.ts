import type { PermissionLevel } from '../../shared/access.ts';
import { requireValid, type Violation } from '../../shared/errors.ts';
import type { TrustedRepository } from '../../shared/table/identity/trusts.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import type { Key } from '../../shared/table/keys.ts';
import { locate, repositoriesOf } from '../../shared/table/locate.ts';

/** A repository of a body, by its ID or its name. */
interface Named {
  readonly repositoryReference: string;
  readonly repositoryPermissionLevel: PermissionLevel;
}

/** The keys that the first read must bring to find the repositories of a body. */
export const trustedRepositoryKeys = (
  workspaceId: string,
  named: readonly Named[] = [],
  loaded: IdentityMap,
): readonly Key[] =>
  named.flatMap(({ repositoryReference }) => locate(repositoriesOf(workspaceId), repositoryReference, loaded).next);

/** The repositories of a body, each of which must exist and occur once. */
export const trustedRepositories = (
  workspaceId: string,
  named: readonly Named[],
  loaded: IdentityMap,
): TrustedRepository[] => {
  const found = new Map<string, TrustedRepository>();
  const violations: Violation[] = [];
  for (const [index, { repositoryReference, repositoryPermissionLevel: level }] of named.entries()) {
    const repository = locate(repositoriesOf(workspaceId), repositoryReference, loaded).item;
    const fault = (rule: string, what: string): Violation => ({
      pointer: `/repositories/${index}/repositoryReference`,
      rule,
      message: `repositories[${index}].repositoryReference '${repositoryReference}' ${what}.`,
    });
    if (!repository) violations.push(fault('exists', 'is not a repository of this workspace'));
    else if (found.has(repository.repositoryId)) violations.push(fault('distinct', 'is listed twice: list it once'));
    else {
      const { repositoryId, name: repositoryName } = repository;
      found.set(repositoryId, { repositoryId, repositoryName, level });
    }
  }
  requireValid(violations);
  return [...found.values()];
};
