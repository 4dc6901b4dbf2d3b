import type { PermissionLevel } from '../../shared/access.ts';
import { ApiError } from '../../shared/errors.ts';
import { grantKeys } from '../../shared/table/identity/grant-shards.ts';
import { levelOn } from '../../shared/table/identity/levels.ts';
import type { Membership } from '../../shared/table/identity/memberships.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import type { Key } from '../../shared/table/keys.ts';
import { locate, membersOf, repositoriesOf } from '../../shared/table/locate.ts';
import type { Repository } from '../../shared/table/repositories/repositories.ts';

interface Target {
  readonly params: { readonly user: string };
  readonly workspaceId: string;
  readonly loaded: IdentityMap;
}

/** The keys that the first read must bring to find the member in the path. */
export const targetMemberKeys = ({ params, workspaceId, loaded }: Target): readonly Key[] =>
  locate(membersOf(workspaceId), params.user, loaded).next;

/** The keys that the first read must bring to find the grant of the member in the path on the repository in the path. */
export const targetGrantKeys = (
  target: Target & { readonly params: { readonly repository: string } },
): readonly Key[] => {
  const { params, workspaceId, loaded } = target;
  const userId = locate(membersOf(workspaceId), params.user, loaded).at;
  const repositoryId = locate(repositoriesOf(workspaceId), params.repository, loaded).at;
  const keys = targetMemberKeys(target);
  return userId && repositoryId ? [...keys, ...grantKeys(workspaceId, userId, [repositoryId])] : keys;
};

export const noMember = (): ApiError =>
  new ApiError('MEMBER_NOT_FOUND', 'This user is not a member of this workspace.');

export const noGrant = (): ApiError =>
  new ApiError('MEMBER_NOT_FOUND', 'This user has no permission on this repository.');

/** The membership of the user in the path. */
export const targetMemberOf = ({ params, workspaceId, loaded }: Target): Membership => {
  const { item } = locate(membersOf(workspaceId), params.user, loaded);
  if (!item) throw noMember();
  return item;
};

/** The membership of the user in the path, and the user's level on the repository in the path. */
export const targetGrantOf = (
  { params, loaded }: Pick<Target, 'params' | 'loaded'>,
  { workspaceId, repositoryId }: Repository,
): { readonly member: Membership; readonly level: PermissionLevel } => {
  const { item: member } = locate(membersOf(workspaceId), params.user, loaded);
  const level = levelOn(workspaceId, member, repositoryId, loaded);
  if (!member || !level) throw noGrant();
  return { member, level };
};
