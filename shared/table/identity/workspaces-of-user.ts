import type { Table } from '../client.ts';
import {
  type Entry,
  type ListKey,
  membershipKey,
  workspaceKey,
  workspacesList,
  workspacesOfUserList,
} from '../keys.ts';
import { listPage, type PageRequest } from '../lists.ts';
import type { Membership } from './memberships.ts';
import type { Workspace } from './workspaces.ts';

/** Reads the workspaces of a list together with the memberships of a user in them. */
const withMemberships = <R>(
  table: Table,
  list: ListKey<Entry>,
  userId: string,
  page: PageRequest,
  turn: (workspace: Workspace, membership: Membership | undefined) => R | undefined,
) =>
  listPage(table, list, page, async (entries) => {
    const found = await table.read(entries.flatMap(({ id }) => [workspaceKey(id), membershipKey(id, userId)]));
    return entries.map(({ id }) => {
      const workspace = found.find(workspaceKey(id));
      return workspace && turn(workspace, found.find(membershipKey(id, userId)));
    });
  });

/** Lists all workspaces by name, each with the membership of a user if there is one. */
export const listAllWorkspaces = <R>(
  table: Table,
  userId: string,
  page: PageRequest,
  turn: (workspace: Workspace, membership: Membership | undefined) => R | undefined,
) => withMemberships(table, workspacesList, userId, page, turn);

/**
 * Lists the workspaces that a user is a member of, by name. Entries of deleted workspaces exist until the sweeper
 * removes them, so only entries with both a workspace and a membership count.
 */
export const listWorkspacesOfUser = <R>(
  table: Table,
  userId: string,
  page: PageRequest,
  turn: (workspace: Workspace, membership: Membership) => R | undefined,
) =>
  withMemberships(
    table,
    workspacesOfUserList(userId),
    userId,
    page,
    (workspace, membership) => membership && turn(workspace, membership),
  );
