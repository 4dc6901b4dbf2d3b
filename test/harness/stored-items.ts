import { randomBytes, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type AttributeValue,
  BatchWriteItemCommand,
  DynamoDBClient,
  paginateScan,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { WorkspaceRole } from '../../shared/access.ts';
import { newToken } from '../../shared/auth/tokens.ts';
import { chunksOf } from '../../shared/chunks.ts';
import { config } from '../../shared/config.ts';
import type { PackageType } from '../../shared/package-types.ts';
import { Table } from '../../shared/table/client.ts';
import { setMember } from '../../shared/table/identity/memberships.ts';
import { insertToken } from '../../shared/table/identity/tokens.ts';
import { findUserByName, insertUser, type User } from '../../shared/table/identity/users.ts';
import { insertWorkspace, type Workspace } from '../../shared/table/identity/workspaces.ts';
import { type Item, type Key, repositoryNameKey, workspaceKey, workspaceNameKey } from '../../shared/table/keys.ts';
import { insertRepository, type NewRepository } from '../../shared/table/repositories/repositories.ts';
import type { Update, Write } from '../../shared/table/writes.ts';
import { inBatches } from './concurrency.ts';
import { bearerHeader } from './credentials.ts';
import { inTable } from './retry.ts';
import { engineVariable } from './snapshot.ts';

/** A name that nothing else has; legal for workspaces, repositories and users. */
export const uniqueName = (prefix = 'n'): string => `${prefix}-${randomBytes(6).toString('hex')}`;

/** A value as DynamoDB's wire has it: bytes are base64, so that a recording can hold them. */
type StoredValue = Exclude<AttributeValue, AttributeValue.BMember> | { readonly B: string };

/** An item as DynamoDB's wire has it, whatever codec wrote it. */
export type StoredItem = Readonly<Record<string, StoredValue & { readonly S?: string }>>;

const mapValues = <V, R>(item: Readonly<Record<string, V>>, turn: (value: V) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, turn(value)]));

const stored = (value: AttributeValue): StoredValue =>
  value.B ? { B: Buffer.from(value.B).toString('base64') } : value;

const unstored = (value: StoredValue): AttributeValue =>
  typeof value.B === 'string' ? { B: Buffer.from(value.B, 'base64') } : value;

const batchMax = 25;
const atOnceMax = 8;

let kept: DynamoDBClient | undefined;
/** One for all calls: a new one costs more than its call. */
const client = (): DynamoDBClient => {
  kept ??= new DynamoDBClient({ endpoint: process.env[engineVariable] });
  return kept;
};

/** Everything that the table holds, past everything that stands before it. */
export const readItems = async (): Promise<StoredItem[]> => {
  const items: StoredItem[] = [];
  for await (const { Items = [] } of paginateScan({ client: client() }, { TableName: config.tableName }))
    items.push(...Items.map((item) => mapValues(item, stored)));
  return items;
};

const write = async (requests: readonly WriteRequest[]): Promise<void> => {
  await inBatches(chunksOf(requests, batchMax), atOnceMax, (batch) =>
    client().send(new BatchWriteItemCommand({ RequestItems: { [config.tableName]: batch } })),
  );
};

/** Stores items as they are. */
export const putItems = (items: readonly Item[]): Promise<void> =>
  write(items.map((item) => ({ PutRequest: { Item: marshall(item, { removeUndefinedValues: true }) } })));

const keyOf = ({ pk, sk }: StoredItem): string => JSON.stringify([pk, sk]);

/** Lets the table hold these items and no others. It writes only what differs. */
export const replaceItems = async (items: readonly StoredItem[]): Promise<void> => {
  const old = new Map((await readItems()).map((item) => [keyOf(item), item]));
  const wanted = new Map(items.map((item) => [keyOf(item), item]));
  const gone = [...old].filter(([key]) => !wanted.has(key));
  const other = [...wanted].filter(([key, item]) => !isDeepStrictEqual(item, old.get(key)));
  await write([
    ...gone.map(([, { pk, sk }]) => ({ DeleteRequest: { Key: { pk, sk } as never } })),
    ...other.map(([, item]) => ({ PutRequest: { Item: mapValues(item, unstored) } })),
  ]);
};

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

/** As many at once as the engine likes. */
const insertedAtOnceMax = 40;

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
    // No process knows yet what new members may do, so their access versions need no count; many of them are no stored users.
    const updates = this.gathered.filter((each): each is Update => 'update' in each && each.update.sk !== 'USER');
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
  inBatches(Array.from({ length: count }), insertedAtOnceMax, async () => {
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
