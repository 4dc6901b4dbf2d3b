import type { PermissionLevel } from '../../shared/access.ts';
import { requireValid, type Violation } from '../../shared/errors.ts';
import type { BodyOf } from '../../shared/http/contract.ts';
import type { MachineGrants } from '../../shared/table/identity/tokens.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import type { Key } from '../../shared/table/keys.ts';
import { locate, repositoriesOf } from '../../shared/table/locate.ts';
import type { createWorkspaceToken } from './contracts.ts';

type Body = BodyOf<typeof createWorkspaceToken>;

/** A token has a level on all repositories, or one on each of some. */
export const grantsRule = ({ repositoryPermissionLevel, repositories }: Partial<Body>): readonly Violation[] => {
  const isThere = (value: unknown): boolean => value !== undefined && value !== null;
  if (isThere(repositoryPermissionLevel) !== isThere(repositories)) return [];
  const message =
    'Exactly one of repositoryPermissionLevel and repositories must be there: a level on all repositories, or one on each of some.';
  return [{ pointer: '', rule: 'oneOf', message }];
};

/** The keys that the first read must bring to find the repositories in the body. */
export const listedRepositoryKeys = ({
  body,
  workspaceId,
  loaded,
}: {
  readonly body: Partial<Body>;
  readonly workspaceId: string;
  readonly loaded: IdentityMap;
}): readonly Key[] =>
  (body.repositories ?? []).flatMap(
    ({ repositoryReference }) => locate(repositoriesOf(workspaceId), repositoryReference, loaded).next,
  );

/** What the token may do. Refuses what is no repository of the workspace, and a repository that is listed twice. */
export const grantsIn = (
  workspaceId: string,
  { repositoryPermissionLevel, repositories }: Body,
  loaded: IdentityMap,
): MachineGrants => {
  if (repositoryPermissionLevel) return { level: repositoryPermissionLevel };
  const levels: Record<string, PermissionLevel> = {};
  const violations = (repositories ?? []).flatMap(
    ({ repositoryReference, repositoryPermissionLevel: level }, index) => {
      const id = locate(repositoriesOf(workspaceId), repositoryReference, loaded).item?.repositoryId;
      const words = `repositories[${index}].repositoryReference '${repositoryReference}'`;
      const violation = (rule: string, what: string): Violation[] => [
        { pointer: `/repositories/${index}/repositoryReference`, rule, message: `${words} ${what}` },
      ];
      if (id === undefined) return violation('exists', 'is not a repository of this workspace.');
      if (Object.hasOwn(levels, id))
        return violation('distinct', 'is a repository that is listed before; list it once.');
      levels[id] = level;
      return [];
    },
  );
  requireValid(violations);
  return { repositories: levels };
};
