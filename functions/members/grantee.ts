import { ApiError, invalid, type Violation } from '../../shared/errors.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import { type Key, membershipKey, usernameOfIdKey } from '../../shared/table/keys.ts';
import { grantsMax, type Membership } from '../../shared/table/memberships.ts';
import { idOf } from '../../shared/table/references.ts';

/** The keys that the first read must bring to check the user ID in a body. */
export const granteeKeys = (workspaceId: string, userId: string | undefined): Key[] => {
  const id = idOf(userId);
  return id === undefined ? [] : [usernameOfIdKey(id), membershipKey(workspaceId, id)];
};

/** The user that a body names; throws USER_NOT_FOUND if there is none. */
export const granteeOf = (
  workspaceId: string,
  userId: string,
  loaded: IdentityMap,
): { userId: string; username: string; membership: Membership | undefined } => {
  const id = idOf(userId);
  const entry = id === undefined ? undefined : loaded.find(usernameOfIdKey(id));
  if (id === undefined || !entry) throw new ApiError('USER_NOT_FOUND');
  return { userId: id, username: entry.username, membership: loaded.find(membershipKey(workspaceId, id)) };
};

const notGrantable = {
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
} satisfies Record<string, Violation>;

const tooMany: Violation = {
  pointer: '/userId',
  rule: 'maxGrants',
  message: `userId cannot hold permissions on more than ${grantsMax} repositories of a workspace: make the user an admin of the workspace, or remove the member and add the user again, which also deletes permissions on deleted repositories.`,
};

/** The reasons why the user cannot receive this number of permissions. */
export const grantViolations = (membership: Membership | undefined, count: number): Violation[] => {
  if (!membership) return [notGrantable['no member']];
  if (membership.role === 'admin') return [notGrantable['workspace admin']];
  return Object.keys(membership.grants).length + count > grantsMax ? [tooMany] : [];
};

/** The refusal of a grant that another request prevented after the first read. */
export const grantRefused = (reason: keyof typeof notGrantable): ApiError => invalid([notGrantable[reason]]);
