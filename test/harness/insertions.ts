import type { WorkspaceRole } from '../../shared/access.ts';
import { chunksOf } from '../../shared/chunks.ts';
import { Table } from '../../shared/table/client.ts';
import { grantKeys } from '../../shared/table/identity/grant-shards.ts';
import { type Grant, grant } from '../../shared/table/identity/grants.ts';
import { setMember } from '../../shared/table/identity/memberships.ts';
import { findUserByName, insertUser, type User } from '../../shared/table/identity/users.ts';
import { insertWorkspace, type Workspace } from '../../shared/table/identity/workspaces.ts';
import { type Key, membershipKey, repositoryNameKey, workspaceKey, workspaceNameKey } from '../../shared/table/keys.ts';
import { insertRepository, type NewRepository } from '../../shared/table/repositories/repositories.ts';
import { inTable } from './retry.ts';

/** What the table holds under a key. */
const found = async <T>(key: Key<T>, table = new Table()): Promise<T | undefined> =>
  (await table.read([key])).find(key);

/** A workspace as the table has it. */
export const storedWorkspace = async (workspaceId: string): Promise<Workspace> => {
  const workspace = await found(workspaceKey(workspaceId));
  if (!workspace) throw new Error(`There is no workspace ${workspaceId}.`);
  return workspace;
};

// Each of these asks first, when it tries again, whether the try before has stored it.

/** Stores a new user. */
export const insertNewUser = async (fields: Pick<User, 'username' | 'passwordHash' | 'userRole'>): Promise<User> => {
  const user = await inTable(
    async (table, isAgain) =>
      (isAgain ? await findUserByName(table, fields.username) : undefined) ?? insertUser(table, fields),
  );
  if (typeof user === 'string') throw new Error(`No user ${fields.username}: ${user}`);
  return user;
};

/** Stores a new workspace. */
export const insertNewWorkspace = async (name: string): Promise<Workspace> => {
  const workspace = await inTable(async (table, isAgain) => {
    const entry = isAgain ? await found(workspaceNameKey(name), table) : undefined;
    return entry ? storedWorkspace(entry.id) : insertWorkspace(table, { name, comments: '' });
  });
  if (workspace === 'name taken') throw new Error(`There is a workspace ${name} already.`);
  return workspace;
};

/** Stores a new repository; answers with its ID. */
export const insertNewRepository = async (workspace: Workspace, fields: NewRepository): Promise<string> => {
  const outcome = await inTable(async (table, isAgain) => {
    const entry = isAgain ? await found(repositoryNameKey(workspace.workspaceId, fields.name), table) : undefined;
    return entry ? { created: { repositoryId: entry.id } } : insertRepository(table, workspace, fields);
  });
  if (!('created' in outcome)) throw new Error(`${fields.name}: ${outcome.reason}`);
  return outcome.created.repositoryId;
};

/** Makes a user a member, or sets the role of a member. */
export const insertMember = async (
  workspace: Workspace,
  member: { readonly userId: string; readonly username: string; readonly role: WorkspaceRole },
): Promise<void> => {
  const outcome = await inTable((table) => setMember(table, workspace, member, undefined));
  if (outcome === 'workspace gone') throw new Error(`There is no workspace ${workspace.workspaceId}.`);
};

/** Any number of grants of a member at once: a request would grant a hundred. */
export const insertGrants = async (workspaceId: string, userId: string, grants: readonly Grant[]): Promise<void> => {
  // The record of a change names each of them, and has at most 400 KiB.
  for (const some of chunksOf(grants, 1_500)) {
    const ids = some.map(({ repositoryId }) => repositoryId);
    const keys = [membershipKey(workspaceId, userId), ...grantKeys(workspaceId, userId, ids)];
    const outcome = await inTable(async (table) => grant(table, workspaceId, userId, some, await table.read(keys)));
    if (typeof outcome === 'string') throw new Error(outcome);
  }
};
