import type { Violation } from '../../shared/errors.ts';
import type { BodyOf } from '../../shared/http/contract.ts';
import { requireListed } from '../../shared/http/listed-repositories.ts';
import type { MachineGrants } from '../../shared/table/identity/tokens.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
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

/** What the token may do. */
export const grantsOf = (
  workspaceId: string,
  { repositoryPermissionLevel, repositories }: Body,
  loaded: IdentityMap,
): MachineGrants => {
  if (repositoryPermissionLevel) return { level: repositoryPermissionLevel };
  const listed = requireListed(workspaceId, repositories ?? [], loaded);
  return { repositories: Object.fromEntries(listed.map(({ repositoryId, level }) => [repositoryId, level])) };
};
