import { randomUUID } from 'node:crypto';
import { newToken } from '../../shared/auth/tokens.ts';
import type { PackageType } from '../../shared/package-types.ts';
import type { NewRepository } from '../../shared/table/repositories.ts';
import { insertToken } from '../../shared/table/tokens.ts';
import { inBatches } from './batches.ts';
import { bearerHeader } from './credentials.ts';
import { insertMember, insertNewRepository, insertNewUser, storedWorkspace } from './insertions.ts';
import { inTable } from './patience.ts';
import { uniqueName } from './world.ts';

/** As many at once as the engine likes. */
const atOnceMax = 40;

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
  return inBatches(names, atOnceMax, (name) => insertNewRepository(workspace, repositoryOf(name, kind)));
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
    const username = uniqueName('crowd');
    const { userId } = await insertNewUser({ username, passwordHash: '', userRole: 'user' });
    const token = newToken();
    await inTable((table) => insertToken(table, token, { userId, username, name: 'ci', expirationDate: null }));
    return { userId, username, bearer: bearerHeader(token) };
  });

/** Members of a workspace of whom there is no more than the membership: all that a list of members tells. Answers with their IDs. */
export const insertMembers = async (workspaceId: string, usernames: readonly string[]): Promise<string[]> => {
  const workspace = await storedWorkspace(workspaceId);
  return inBatches(usernames, atOnceMax, async (username) => {
    const userId = randomUUID();
    await insertMember(workspace, { userId, username, role: 'member' });
    return userId;
  });
};
