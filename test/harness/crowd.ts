import { randomUUID } from 'node:crypto';
import { newToken } from '../../shared/auth/tokens.ts';
import type { PackageType } from '../../shared/package-types.ts';
import { Table } from '../../shared/table/client.ts';
import { grantKeys } from '../../shared/table/grant-shards.ts';
import { type Grant, grant } from '../../shared/table/grants.ts';
import { membershipKey, workspaceKey } from '../../shared/table/keys.ts';
import { setMember } from '../../shared/table/memberships.ts';
import { insertRepository, type NewRepository } from '../../shared/table/repositories.ts';
import { insertToken } from '../../shared/table/tokens.ts';
import { insertUser } from '../../shared/table/users.ts';
import type { Workspace } from '../../shared/table/workspaces.ts';
import { inBatches } from './batches.ts';
import { bearerHeader } from './credentials.ts';
import { inTable } from './patience.ts';
import { uniqueName } from './world.ts';

/** As many at once as the engine likes. */
const atOnceMax = 40;

const storedWorkspace = async (workspaceId: string): Promise<Workspace> => {
  const key = workspaceKey(workspaceId);
  const workspace = (await new Table().read([key])).find(key);
  if (!workspace) throw new Error(`There is no workspace ${workspaceId}.`);
  return workspace;
};

/** What the many repositories of a list share. */
interface Kind {
  readonly packageType?: PackageType;
  /** Makes remote repositories whose records are as large as they can be. */
  readonly areLarge?: boolean;
}

const repositoryOf = (name: string, { packageType = 'npm', areLarge }: Kind): NewRepository => {
  const common = { repositoryId: randomUUID(), name, packageType, createdBy: randomUUID() };
  if (!areLarge) return { ...common, repositoryType: 'local' };
  return {
    ...common,
    repositoryType: 'remote',
    remoteRepositoryUrl: 'https://registry.npmjs.org/'.padEnd(2048, 'x'),
    remoteRepositoryUsername: '😀'.repeat(1024),
    passwordCiphertext: null,
    isRemoteCacheEnabled: true,
    fileCacheTimeTillRevalidation: null,
    metadataCacheTimeTillRevalidation: null,
  };
};

/** Many repositories, through the table layer: over HTTP they would take most of a test. Answers with their IDs, in order. */
export const insertRepositories = async (
  workspaceId: string,
  names: readonly string[],
  kind: Kind = {},
): Promise<string[]> => {
  const workspace = await storedWorkspace(workspaceId);
  return inBatches(names, atOnceMax, async (name) => {
    const outcome = await inTable((table) => insertRepository(table, workspace, repositoryOf(name, kind)));
    if (!('created' in outcome)) throw new Error(`${name}: ${outcome.reason}`);
    return outcome.created.repositoryId;
  });
};

/** A user who has a token and no password. */
export interface TokenUser {
  readonly userId: string;
  readonly username: string;
  readonly bearer: string;
}

/** Users through the table layer: hashing a password for each would take most of a test. */
export const insertUsers = (count: number): Promise<TokenUser[]> =>
  inBatches(Array.from({ length: count }), atOnceMax, async () => {
    const fields = { passwordHash: '', email: undefined, firstName: undefined, lastName: undefined } as const;
    const user = await inTable((table) =>
      insertUser(table, { ...fields, userRole: 'user', username: uniqueName('crowd') }),
    );
    if (typeof user === 'string') throw new Error(user);
    const { userId, username } = user;
    const token = newToken();
    await inTable((table) => insertToken(table, token, { userId, username, name: 'ci', expirationDate: null }));
    return { userId, username, bearer: bearerHeader(token) };
  });

/** Members of a workspace of whom there is no more than the membership: all that a list of members tells. Answers with their IDs. */
export const insertMembers = async (workspaceId: string, usernames: readonly string[]): Promise<string[]> => {
  const workspace = await storedWorkspace(workspaceId);
  return inBatches(usernames, atOnceMax, async (username) => {
    const userId = randomUUID();
    await inTable((table) => setMember(table, workspace, { userId, username, role: 'member' }, false));
    return userId;
  });
};

/** Any number of grants of a member at once: a request would grant a hundred. */
export const insertGrants = async (workspaceId: string, userId: string, grants: readonly Grant[]): Promise<void> => {
  const ids = grants.map(({ repositoryId }) => repositoryId);
  const keys = [membershipKey(workspaceId, userId), ...grantKeys(workspaceId, userId, ids)];
  const outcome = await inTable(async (table) => grant(table, workspaceId, userId, grants, await table.read(keys)));
  if (typeof outcome === 'string') throw new Error(outcome);
};
