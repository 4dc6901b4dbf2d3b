import { ApiError, invalid, type Violation } from '../../shared/errors.ts';
import { grantKeys } from '../../shared/table/identity/grant-shards.ts';
import { type Grant, grantsMax, isTooMuch, type NotGranted } from '../../shared/table/identity/grants.ts';
import type { Membership } from '../../shared/table/identity/memberships.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import { type Key, membershipKey, usernameOfIdKey } from '../../shared/table/keys.ts';
import { idOf } from '../../shared/table/references.ts';

/**
 * The keys that the first read must bring to check the user ID in a body, and the user's grants on these repositories as far
 * as their IDs are known.
 */
export const granteeKeys = (
  workspaceId: string,
  userId: string | undefined,
  repositoryIds: readonly (string | undefined)[] = [],
): Key[] => {
  const id = idOf(userId);
  if (id === undefined) return [];
  const known = repositoryIds.filter((each) => each !== undefined);
  return [usernameOfIdKey(id), membershipKey(workspaceId, id), ...grantKeys(workspaceId, id, known)];
};

/** Says where an ID is found, because people know each other by name. */
const noId =
  'userId must be the ID of a user: a UUID, not a username. The list of the members of a workspace has the IDs of its users, GET /1/users/{username} shows that of any user to System Admins, and GET /1/users/me your own.';

/** The user that a body names; throws USER_NOT_FOUND if there is none. */
export const granteeOf = (
  workspaceId: string,
  userId: string,
  loaded: IdentityMap,
): { userId: string; username: string; membership: Membership | undefined } => {
  const id = idOf(userId);
  if (id === undefined) throw new ApiError('USER_NOT_FOUND', noId);
  const entry = loaded.find(usernameOfIdKey(id));
  if (!entry) throw new ApiError('USER_NOT_FOUND');
  return { userId: id, username: entry.username, membership: loaded.find(membershipKey(workspaceId, id)) };
};

const refusals = {
  'no member': {
    pointer: '/userId',
    rule: 'member',
    message: 'userId must be a member of the workspace: add the user to the workspace first.',
  },
  'workspace admin': {
    pointer: '/userId',
    rule: 'notAdmin',
    message: 'userId must not be an admin of the workspace: admins have every permission already.',
  },
  'too many grants': {
    pointer: '/userId',
    rule: 'maxGrants',
    message: `userId cannot hold permissions on more than ${grantsMax} repositories of a workspace: remove some of them, or make the user an admin of the workspace. Permissions on deleted repositories count for about an hour.`,
  },
} satisfies Record<NotGranted, Violation>;

/** The reasons why the user cannot receive these permissions. */
export const grantViolations = (
  workspaceId: string,
  membership: Membership | undefined,
  grants: readonly Grant[],
  loaded: IdentityMap,
): Violation[] => {
  if (!membership) return [refusals['no member']];
  if (membership.role === 'admin') return [refusals['workspace admin']];
  return isTooMuch(workspaceId, membership, grants, loaded) ? [refusals['too many grants']] : [];
};

/** The refusal of a grant that another request prevented after the first read. */
export const grantRefused = (reason: NotGranted): ApiError => invalid([refusals[reason]]);
