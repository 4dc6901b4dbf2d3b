import { randomUUID } from 'node:crypto';
import { newToken } from '../../shared/auth/tokens.ts';
import type { PackageType } from '../../shared/package-types.ts';
import { Table } from '../../shared/table/client.ts';
import { setMember } from '../../shared/table/identity/memberships.ts';
import { insertToken } from '../../shared/table/identity/tokens.ts';
import { insertRepository, type NewRepository } from '../../shared/table/repositories/repositories.ts';
import type { Update, Write } from '../../shared/table/writes.ts';
import { inBatches } from './batches.ts';
import { bearerHeader } from './credentials.ts';
import { insertNewUser, storedWorkspace } from './insertions.ts';
import { inTable } from './retry.ts';
import { putItems } from './stored-items.ts';
import { uniqueName } from './world.ts';

/** As many at once as the engine likes. */
const atOnceMax = 40;

/** Gathers what the table layer would write, to store it in batches: a transaction for each of a crowd takes most of a test. */
class Gathering extends Table {
  private readonly gathered: Write[] = [];

  override async write(writes: readonly Write[]): Promise<undefined> {
    this.gathered.push(...writes);
  }

  /** Stores the new items, and adds up what is counted with them. There are no records of it. */
  async store(): Promise<void> {
    const writeId = randomUUID();
    await putItems(this.gathered.flatMap((each) => ('insert' in each ? [{ ...each.insert, writeId }] : [])));
    const updates = this.gathered.filter((each): each is Update => 'update' in each);
    const sums = [...Map.groupBy(updates, ({ update: { pk, sk } }) => `${pk} ${sk}`).values()].map(sumOf);
    if (sums.length > 0) await inTable((table) => table.writeUnrecorded(sums));
  }
}

/** One update in place of several that add the same number to the same item. */
const sumOf = (updates: readonly Update[]): Update => {
  const [first] = updates as [Update];
  const [[name, change]] = Object.entries(first.values ?? {}) as [[`:${string}`, number]];
  return { ...first, values: { [name]: change * updates.length } };
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
  const [workspace, table] = [await storedWorkspace(workspaceId), new Gathering()];
  const repositories = names.map((name) => repositoryOf(name, kind));
  for (const each of repositories) await insertRepository(table, workspace, each);
  await table.store();
  return repositories.map(({ repositoryId }) => repositoryId);
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
  const [workspace, table] = [await storedWorkspace(workspaceId), new Gathering()];
  const members = usernames.map((username) => ({ userId: randomUUID(), username, role: 'member' as const }));
  for (const member of members) await setMember(table, workspace, member, undefined);
  await table.store();
  return members.map(({ userId }) => userId);
};
