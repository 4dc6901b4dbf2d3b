import type { PermissionLevel, WorkspaceRole } from '../../access.ts';
import type { Change } from '../changes.ts';
import type { Table } from '../client.ts';
import { memberNameKey, membershipKey, membersList, workspaceKey, workspaceOfUserKey } from '../keys.ts';
import { listPage, type PageRequest } from '../lists.ts';
import { untilSettled } from '../races.ts';
import { foundBy, insertion, type Write } from '../writes.ts';
import { accessChanged } from './access-version.ts';
import { endGrants } from './grant-shards.ts';
import type { Workspace } from './workspaces.ts';

/** The role of one user in one workspace. The grants of the user there are apart from it. */
export interface Membership {
  readonly userId: string;
  readonly username: string;
  readonly role: WorkspaceRole;
  /** The number of grants in the shards, if they are there; absent in items of release 0.1.0. */
  readonly grantCount?: number;
  /** The levels by repository ID, as long as they are few. They move to the shards when a change makes them more. */
  readonly grants: Readonly<Record<string, PermissionLevel>>;
}

/** The user who becomes a member. */
interface NewMember {
  readonly userId: string;
  readonly username: string;
  readonly role: WorkspaceRole;
}

const changeOf = (
  action: Change['action'],
  { workspaceId }: Workspace,
  { userId, username }: NewMember,
  fields: Pick<Change, 'before' | 'after'>,
): Change => ({ action, workspaceId, target: { id: userId, name: username }, ...fields });

/**
 * Makes a user a member with this role, or sets the role of a member. An admin has no grants. `known` is the membership that
 * the caller read; if another request has changed it, this function notices.
 */
export const setMember = async (
  table: Table,
  workspace: Workspace,
  member: NewMember,
  known: Pick<Membership, 'role'> | undefined,
): Promise<'added' | 'changed' | 'workspace gone'> => {
  const after = { role: member.role };
  let current = known;
  return untilSettled(table, async () => {
    if (current?.role === member.role) return 'changed';
    const refusal = current
      ? await table.write(
          memberChanged(workspace, member, current.role),
          changeOf('member.changed', workspace, member, { before: { role: current.role }, after }),
        )
      : await table.write(
          memberAdded(workspace, member),
          changeOf('member.added', workspace, member, { before: null, after }),
        );
    if (!refusal) return current ? 'changed' : 'added';
    if (refusal[0]) return 'workspace gone';
    current = foundBy(membershipKey(workspace.workspaceId, member.userId), refusal, 1);
    return undefined;
  });
};

const memberAdded = ({ workspaceId, name }: Workspace, member: NewMember): Write[] => {
  const { userId, username } = member;
  return [
    { check: workspaceKey(workspaceId), if: 'attribute_exists(pk)' },
    insertion(membershipKey(workspaceId, userId), { ...member, grantCount: 0, grants: {} }),
    insertion(memberNameKey(workspaceId, username), { id: userId }),
    insertion(workspaceOfUserKey(userId, name, workspaceId), { id: workspaceId }),
    accessChanged(username),
  ];
};

const memberChanged = (
  { workspaceId }: Workspace,
  { userId, username, role }: NewMember,
  before: WorkspaceRole,
): Write[] => [
  { check: workspaceKey(workspaceId), if: 'attribute_exists(pk)' },
  {
    update: membershipKey(workspaceId, userId),
    set: `SET #role = :role${role === 'admin' ? ', #grantCount = :zero, #grants = :none' : ''}`,
    if: '#role = :before',
    values: { ':role': role, ':before': before, ...(role === 'admin' && { ':zero': 0, ':none': {} }) },
  },
  ...(role === 'admin' ? endGrants(workspaceId, userId) : []),
  accessChanged(username),
];

/** Removes a membership with all its grants. */
export const removeMember = async (
  table: Table,
  workspace: Workspace,
  membership: Membership,
): Promise<'removed' | 'no member'> => {
  const { workspaceId, name } = workspace;
  const { userId, username, role } = membership;
  const refusal = await table.write(
    [
      { remove: membershipKey(workspaceId, userId), if: 'attribute_exists(pk)' },
      { remove: memberNameKey(workspaceId, username), if: 'attribute_exists(pk)' },
      { remove: workspaceOfUserKey(userId, name, workspaceId), if: 'attribute_exists(pk)' },
      ...endGrants(workspaceId, userId),
      accessChanged(username),
    ],
    changeOf('member.removed', workspace, membership, { before: { role }, after: null }),
  );
  return refusal ? 'no member' : 'removed';
};

/** Lists the members of a workspace by username. */
export const listMembers = <R>(
  table: Table,
  workspaceId: string,
  page: PageRequest,
  turn: (membership: Membership) => R,
) =>
  listPage(table, membersList(workspaceId), page, async (entries) => {
    const keys = entries.map(({ id }) => membershipKey(workspaceId, id));
    const found = await table.read(keys);
    return keys.map((key) => {
      const membership = found.find(key);
      return membership && turn(membership);
    });
  });
