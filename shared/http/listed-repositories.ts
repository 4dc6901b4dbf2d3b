import type { PermissionLevel } from '../access.ts';
import { requireValid, type Violation } from '../errors.ts';
import type { TrustedRepository } from '../table/identity/trusts.ts';
import type { IdentityMap } from '../table/identity-map.ts';
import type { Key } from '../table/keys.ts';
import { locate, repositoriesOf } from '../table/locate.ts';

/** A repository that a body lists, by its ID or its name. */
interface Listed {
  readonly repositoryReference: string;
  readonly repositoryPermissionLevel: PermissionLevel;
}

/** The keys that the first read must bring to find the repositories of a body. */
export const listedRepositoryKeys = ({
  body,
  workspaceId,
  loaded,
}: {
  readonly body: { readonly repositories?: readonly Listed[] | null };
  readonly workspaceId: string;
  readonly loaded: IdentityMap;
}): readonly Key[] =>
  (body.repositories ?? []).flatMap(
    ({ repositoryReference }) => locate(repositoriesOf(workspaceId), repositoryReference, loaded).next,
  );

/** The repositories of a body that are there, and what is wrong: each must be there, and once. */
export const findListed = (workspaceId: string, listed: readonly Listed[], loaded: IdentityMap) => {
  const items = listed.map(
    ({ repositoryReference }) => locate(repositoriesOf(workspaceId), repositoryReference, loaded).item,
  );
  const repositories = listed.flatMap(({ repositoryPermissionLevel: level }, index): TrustedRepository[] => {
    const item = items[index];
    return item ? [{ repositoryId: item.repositoryId, repositoryName: item.name, level }] : [];
  });
  const ids = listed.map(({ repositoryReference }, index) => items[index]?.repositoryId ?? repositoryReference);
  const words = (index: number): string =>
    `repositories[${index}].repositoryReference '${listed[index]?.repositoryReference ?? ''}'`;
  const violations = ids.flatMap((id, index): Violation[] => {
    const pointer = `/repositories/${index}/repositoryReference`;
    const first = ids.indexOf(id);
    if (first < index) {
      const message = `${words(index)} and ${words(first)} are the same repository; list it once.`;
      return [{ pointer, rule: 'distinct', message }];
    }
    const message = `${words(index)} is not a repository of this workspace.`;
    return items[index] ? [] : [{ pointer, rule: 'exists', message }];
  });
  return { repositories, violations };
};

/** The repositories of a body, each of which must be there, and once. */
export const requireListed = (
  workspaceId: string,
  listed: readonly Listed[],
  loaded: IdentityMap,
): readonly TrustedRepository[] => {
  const { repositories, violations } = findListed(workspaceId, listed, loaded);
  requireValid(violations);
  return repositories;
};
