import { BoundedCache } from '../../bounded-cache.ts';
import { config } from '../../config.ts';
import { listEntriesMax } from '../../limits.ts';
import type { Table } from '../client.ts';
import type { IdentityMap } from '../identity-map.ts';
import { type Entry, type Key, membershipKey, workspaceKey, workspacesList, workspacesOfUserList } from '../keys.ts';
import { listPage, type PageRequest } from '../lists.ts';
import { accessVersionOf } from './access-version.ts';
import type { Membership } from './memberships.ts';
import type { User } from './users.ts';
import type { Workspace } from './workspaces.ts';

type Turn<M, R> = (workspace: Workspace, membership: M) => R | undefined;

const keysOf = (userId: string, entries: readonly Entry[]): readonly Key[] =>
  entries.flatMap(({ id }) => [workspaceKey(id), membershipKey(id, userId)]);

/** Reads the workspaces of entries together with the memberships of a user in them. */
const turned = async <R>(
  table: Table,
  userId: string,
  entries: readonly Entry[],
  turn: Turn<Membership | undefined, R>,
  loaded?: IdentityMap,
): Promise<readonly (R | undefined)[]> => {
  const found = await table.read(keysOf(userId, entries), loaded);
  return entries.map(({ id }) => {
    const workspace = found.find(workspaceKey(id));
    return workspace && turn(workspace, found.find(membershipKey(id, userId)));
  });
};

/** Turns entries of members only. */
const ofMembers =
  <R>(turn: Turn<Membership, R>): Turn<Membership | undefined, R> =>
  (workspace, membership) =>
    membership && turn(workspace, membership);

/** Lists all workspaces by name, each with the membership of a user if there is one. */
export const listAllWorkspaces = <R>(
  table: Table,
  userId: string,
  page: PageRequest,
  turn: Turn<Membership | undefined, R>,
) => listPage(table, workspacesList, page, async (entries) => turned(table, userId, entries, turn));

/**
 * Lists the workspaces that a user is a member of, by name. Entries of deleted workspaces exist until the sweeper
 * removes them, so only entries with both a workspace and a membership count.
 */
export const listWorkspacesOfUser = <R>(table: Table, userId: string, page: PageRequest, turn: Turn<Membership, R>) =>
  listPage(table, workspacesOfUserList(userId), page, async (entries) =>
    turned(table, userId, entries, ofMembers(turn)),
  );

/** The workspaces of a user, as they were listed after a read had shown this access version. */
interface Listing {
  readonly version: number;
  readonly entries: readonly Entry[];
}

const listings = new BoundedCache<Listing>(20_000);

/** The first read of a request has their keys. With more workspaces, it would be more than one call. */
const rememberedMax = 40;

/** The keys of the workspaces that this process remembers of a user, and of the memberships there, for the first read. */
export const rememberedWorkspaceKeys = (userId: string): readonly Key[] =>
  keysOf(userId, listings.get(userId)?.entries ?? []);

/**
 * The workspaces of the user who calls, as `listWorkspacesOfUser` lists them. `user` and `loaded` are those of the first read. It lists
 * them only if the user has another access version than when this process last did: each change of memberships counts it.
 */
export const workspacesOfCaller = async <R>(
  table: Table,
  user: User,
  loaded: IdentityMap,
  turn: Turn<Membership, R>,
): Promise<R[]> => {
  const { userId } = user;
  const known = listings.get(userId);
  if (known?.version === accessVersionOf(user)) {
    const workspaces = await turned(table, userId, known.entries, ofMembers(turn), loaded);
    return workspaces.filter((workspace) => workspace !== undefined);
  }
  const listed: Entry[] = [];
  const page = { limit: listEntriesMax, after: undefined };
  const { entries, next } = await listPage(table, workspacesOfUserList(userId), page, async (found) => {
    listed.push(...found);
    return turned(table, userId, found, ofMembers(turn), loaded);
  });
  if (next === undefined) remember(user, listed);
  return entries.map(({ item }) => item);
};

const remember = (user: User, entries: readonly Entry[]): void => {
  if (!config.remembersAccess || entries.length > rememberedMax) return;
  listings.set(user.userId, { version: accessVersionOf(user), entries }, 1 + entries.length);
};
