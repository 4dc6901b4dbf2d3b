import { randomUUID } from 'node:crypto';
import type { PermissionLevel, WorkspaceRole } from '../access.ts';
import type { Table } from './client.ts';
import { heldBy, memberNameKey, membershipKey, membersList, workspaceKey, workspaceOfUserKey } from './keys.ts';
import { listPage, type PageRequest } from './lists.ts';
import { untilSettled } from './races.ts';
import type { Workspace } from './workspaces.ts';
import { insertion, type Write } from './writes.ts';

/**
 * The rights of one user in one workspace: the role, and the level on each repository by its ID. They are one item, so
 * that a batch of grants is one conditional update. A map replaces one set per level, because a batch of several levels
 * would have to add to a set and remove from it in one update. IDs are never reused, so a grant on a deleted repository
 * has no effect.
 */
export interface Membership {
  readonly userId: string;
  readonly username: string;
  readonly role: WorkspaceRole;
  readonly grants: Readonly<Record<string, PermissionLevel>>;
}

/** The level that a membership grants on a repository, if any. */
export const levelOn = (membership: Membership | undefined, repositoryId: string): PermissionLevel | undefined =>
  membership?.grants[repositoryId];

/** A DynamoDB item holds 400 KB, and a grant takes about 47 bytes of it. */
export const grantsMax = 7_500;

/** A level on one repository. */
export interface Grant {
  readonly repositoryId: string;
  readonly level: PermissionLevel;
}

/**
 * Grants levels to a member, all or nothing. Returns the membership before the change, or the reason why nothing was
 * granted. `before` is the membership that the caller read. It is returned if an earlier try, whose reply was lost, has
 * already made the change.
 */
export const grant = async (
  table: Table,
  workspaceId: string,
  userId: string,
  grants: readonly Grant[],
  before: Membership | undefined,
): Promise<Membership | 'no member' | 'workspace admin'> => {
  const writeId = randomUUID();
  const answer = await table.update({
    update: membershipKey(workspaceId, userId),
    set: `SET #writeId = :writeId, ${grants.map(({ level }, index) => `#grants.#r${index} = :${level}`).join(', ')}`,
    if: '#role = :member',
    names: Object.fromEntries(grants.map(({ repositoryId }, index) => [`#r${index}`, repositoryId])),
    values: {
      ':writeId': writeId,
      ':member': 'member',
      ...Object.fromEntries(grants.map(({ level }) => [`:${level}`, level])),
    },
  });
  if ('refused' in answer) return answer.refused ? 'workspace admin' : 'no member';
  const key = membershipKey(workspaceId, userId);
  const replaced = answer.before.writeId === writeId ? before : heldBy(key, answer.before);
  return replaced ?? 'no member';
};

/** Removes a member's level on a repository. */
export const revoke = async (
  table: Table,
  workspaceId: string,
  userId: string,
  repositoryId: string,
): Promise<'revoked' | 'no grant'> => {
  // A transaction, although it has one item: with its token, a lost reply does no harm. A repeated update would find no
  // grant.
  const refusal = await table.write([
    {
      update: membershipKey(workspaceId, userId),
      set: 'REMOVE #grants.#repository',
      if: 'attribute_exists(#grants.#repository)',
      names: { '#repository': repositoryId },
    },
  ]);
  return refusal ? 'no grant' : 'revoked';
};

/** The user who becomes a member. */
interface NewMember {
  readonly userId: string;
  readonly username: string;
  readonly role: WorkspaceRole;
}

/**
 * Makes a user a member with this role, or sets the role of a member. An admin has no grants. `isMember` says what the
 * caller read; if another request has changed it, this function notices.
 */
export const setMember = async (
  table: Table,
  workspace: Workspace,
  member: NewMember,
  isMember: boolean,
): Promise<'added' | 'changed' | 'workspace gone'> => {
  let isChange = isMember;
  return untilSettled(async () => {
    const refusal = await table.write(isChange ? memberChanged(workspace, member) : memberAdded(workspace, member));
    if (!refusal) return isChange ? 'changed' : 'added';
    if (refusal[0]) return 'workspace gone';
    isChange = !isChange;
    return undefined;
  });
};

const memberAdded = ({ workspaceId, name }: Workspace, member: NewMember): Write[] => {
  const { userId, username } = member;
  return [
    { check: workspaceKey(workspaceId), if: 'attribute_exists(pk)' },
    insertion(membershipKey(workspaceId, userId), { ...member, grants: {} }),
    insertion(memberNameKey(workspaceId, username), { id: userId }),
    insertion(workspaceOfUserKey(userId, name, workspaceId), { id: workspaceId }),
  ];
};

const memberChanged = ({ workspaceId }: Workspace, { userId, role }: NewMember): Write[] => [
  { check: workspaceKey(workspaceId), if: 'attribute_exists(pk)' },
  {
    update: membershipKey(workspaceId, userId),
    set: `SET #role = :role${role === 'admin' ? ', #grants = :none' : ''}`,
    if: 'attribute_exists(pk)',
    values: { ':role': role, ...(role === 'admin' ? { ':none': {} } : {}) },
  },
];

/** Removes a membership with all its grants. */
export const removeMember = async (
  table: Table,
  { workspaceId, name }: Workspace,
  { userId, username }: Membership,
): Promise<'removed' | 'no member'> => {
  const refusal = await table.write([
    { remove: membershipKey(workspaceId, userId), if: 'attribute_exists(pk)' },
    { remove: memberNameKey(workspaceId, username), if: 'attribute_exists(pk)' },
    { remove: workspaceOfUserKey(userId, name, workspaceId), if: 'attribute_exists(pk)' },
  ]);
  return refusal ? 'no member' : 'removed';
};

/** Lists the members of a workspace that pass, by username. */
export const listMembers = (
  table: Table,
  workspaceId: string,
  passes: (membership: Membership) => boolean,
  page: PageRequest,
) =>
  listPage(table, membersList(workspaceId), page, async (entries) => {
    const keys = entries.map(({ id }) => membershipKey(workspaceId, id));
    const found = await table.read(keys);
    return keys.map((key) => {
      const membership = found.find(key);
      return membership && passes(membership) ? membership : undefined;
    });
  });
