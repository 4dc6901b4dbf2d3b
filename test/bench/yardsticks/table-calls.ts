import { randomInt, randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, DynamoDBDocumentClient, QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';

/** The caller, the workspace and its repositories for a function that checks nothing. */
export interface Known {
  readonly username: string;
  readonly userId: string;
  readonly tokenId: string;
  readonly workspaceId: string;
}

type Item = Record<string, unknown>;

let client: DynamoDBDocumentClient | undefined;
const document = (): DynamoDBDocumentClient => {
  client ??= makeClient();
  return client;
};

/** The SDK with the time-outs and signals of the functions, so that the rest of the difference is the pipeline's. */
const makeClient = (): DynamoDBDocumentClient => {
  const made = new DynamoDBClient({
    maxAttempts: 3,
    retryMode: 'standard',
    requestHandler: { connectionTimeout: 500, requestTimeout: 1_500, throwOnRequestTimeout: true },
  });
  made.middlewareStack.remove('loggerMiddleware');
  return DynamoDBDocumentClient.from(made, { marshallOptions: { removeUndefinedValues: true } });
};

const budget = () => ({ abortSignal: AbortSignal.timeout(8_000) });
type Budget = ReturnType<typeof budget>;

const table = String(process.env.TABLE_NAME);

const read = async (keys: readonly Item[], within: Budget): Promise<Item[]> => {
  const batch = { [table]: { Keys: [...keys], ConsistentRead: true } };
  return (await document().send(new BatchGetCommand({ RequestItems: batch }), within)).Responses?.[table] ?? [];
};

const callerKeys = ({ username, userId, tokenId, workspaceId }: Known): Item[] => [
  { pk: `USER#${username}`, sk: 'USER' },
  { pk: `TOKEN#${tokenId}`, sk: 'TOKEN' },
  { pk: `WORKSPACE#${workspaceId}`, sk: 'WORKSPACE' },
  { pk: `WORKSPACE#${workspaceId}`, sk: `MEMBER#${userId}` },
];

const absent = {
  ConditionExpression: 'attribute_not_exists(pk)',
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
};

/** One read of a user and a token: the minimum cost of any request to the service. */
export const credential = async (known: Known): Promise<string> => {
  const [user] = await read(callerKeys(known).slice(0, 2), budget());
  return JSON.stringify({ username: user?.username });
};

/** The three table calls of `GET /1/users/me` in a process that remembers no workspaces: the credential, their list, the workspaces. */
export const currentUser = async (known: Known): Promise<string> => {
  const within = budget();
  const [user] = await read(callerKeys(known).slice(0, 2), within);
  const { Items = [] } = await document().send(
    new QueryCommand({
      TableName: table,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':pk': `ACCOUNT#${known.userId}`, ':first': 'WORKSPACE#', ':last': 'WORKSPACE#~' },
      ConsistentRead: true,
    }),
    within,
  );
  const workspaces = await read(
    Items.flatMap(({ id }) => [
      { pk: `WORKSPACE#${id}`, sk: 'WORKSPACE' },
      { pk: `WORKSPACE#${id}`, sk: `MEMBER#${known.userId}` },
    ]),
    within,
  );
  return JSON.stringify({ username: user?.username, workspaces: workspaces.map(({ name, role }) => ({ name, role })) });
};

/** What changed, as its record tells it. */
interface Recorded {
  readonly action: string;
  readonly operation: string;
  readonly target: { readonly id: string; readonly name: string };
  readonly after: Item;
}

/** The record of a change, which each transaction that changes something writes as well. */
const recordPut = ({ userId, username, tokenId, workspaceId }: Known, { target, after, ...change }: Recorded) => {
  const recordId = randomUUID();
  const now = Date.now();
  const record = {
    ...change,
    recordId,
    recordedAt: new Date(now).toISOString(),
    actor: { kind: 'user', id: userId, name: username, tokenId },
    sourceAddress: '127.0.0.1',
    requestId: randomUUID(),
    workspaceId,
    repositoryId: target.id,
    repositoryName: target.name,
    target,
    concerns: new Set([target.id]),
    before: JSON.stringify(null),
    after: JSON.stringify(after),
    recordShard: String(randomInt(4)),
    expiresAt: Math.floor(now / 1000) + 400 * 86_400,
  };
  const key = { pk: `WORKSPACE#${workspaceId}`, sk: `RECORD#${String(9_999_999_999_999 - now)}#${recordId}` };
  return { Put: { TableName: table, Item: { ...key, ...record }, ...absent } };
};

/** The two table calls that create a local repository, from JSON to JSON, without checks. */
export const createRepository = async (known: Known, text: string): Promise<string> => {
  const { name, packageType } = JSON.parse(text) as { name: string; packageType: string };
  const within = budget();
  await read(callerKeys(known), within);
  const [writeId, repositoryId, pk] = [randomUUID(), randomUUID(), `WORKSPACE#${known.workspaceId}`];
  const record = {
    repositoryId,
    repositoryType: 'local',
    name,
    packageType,
    createdBy: known.userId,
    workspaceId: known.workspaceId,
    countShare: randomInt(8),
    createdAt: new Date().toISOString(),
  };
  const nameItem = {
    pk,
    sk: `REPOSITORYNAME#${name}`,
    id: repositoryId,
    packageType,
    repositoryType: 'local',
    writeId,
  };
  await document().send(
    new TransactWriteCommand({
      ClientRequestToken: writeId,
      TransactItems: [
        {
          Update: {
            TableName: table,
            Key: { pk, sk: `COUNT#00${record.countShare}` },
            UpdateExpression: 'ADD #repositoryCount :change',
            ExpressionAttributeNames: { '#repositoryCount': 'repositoryCount' },
            ExpressionAttributeValues: { ':change': 1 },
            ...absent,
            ConditionExpression: 'attribute_exists(pk)',
          },
        },
        { Put: { TableName: table, Item: nameItem, ...absent } },
        { Put: { TableName: table, Item: { pk, sk: `REPOSITORY#${repositoryId}`, ...record, writeId }, ...absent } },
        recordPut(known, {
          action: 'repository.created',
          operation: 'repositories/create-local-repository',
          target: { id: repositoryId, name },
          after: { name, packageType, repositoryType: 'local', createdAt: record.createdAt, createdBy: known.userId },
        }),
      ],
    }),
    within,
  );
  return JSON.stringify({ id: repositoryId, status: 'active', ...record });
};

interface Batch {
  readonly userId: string;
  readonly repositories: readonly {
    readonly repositoryReference: string;
    readonly repositoryPermissionLevel: string;
  }[];
}

/** The table calls that grant a batch, from JSON to JSON, without checks. */
export const grantBatch = async (known: Known, text: string): Promise<string> => {
  const { userId, repositories } = JSON.parse(text) as Batch;
  const [pk, writeId] = [`WORKSPACE#${known.workspaceId}`, randomUUID()];
  const shards = Map.groupBy(repositories, ({ repositoryReference: id }) => id.charAt(0));
  const keys = [
    ...callerKeys(known),
    { pk: `USERID#${userId}`, sk: 'USERID' },
    { pk, sk: `MEMBER#${userId}` },
    ...[...shards.keys()].map((shard) => ({ pk, sk: `GRANTS#${userId}#${shard}` })),
    ...repositories.map(({ repositoryReference }) => ({ pk, sk: `REPOSITORY#${repositoryReference}` })),
  ];
  const within = budget();
  const found = (await Promise.all([read(keys.slice(0, 100), within), read(keys.slice(100), within)])).flat();
  const names = new Map(found.map(({ repositoryId, name }) => [repositoryId, name]));
  const packed = (granted: Batch['repositories']) =>
    Buffer.from(granted.map(({ repositoryReference: id }) => `${id.replaceAll('-', '')}02`).join(''), 'hex');
  await document().send(
    new TransactWriteCommand({
      ClientRequestToken: writeId,
      TransactItems: [
        {
          Update: {
            TableName: table,
            Key: { pk, sk: `MEMBER#${userId}` },
            UpdateExpression: 'ADD #grantCount :added',
            ConditionExpression: '#role = :member',
            ExpressionAttributeNames: { '#grantCount': 'grantCount', '#role': 'role' },
            ExpressionAttributeValues: { ':added': repositories.length, ':member': 'member' },
          },
        },
        ...[...shards].map(([shard, granted]) => ({
          Put: {
            TableName: table,
            Item: { pk, sk: `GRANTS#${userId}#${shard}`, packed: packed(granted), writeId },
            ...absent,
          },
        })),
        recordPut(known, {
          action: 'grants.changed',
          operation: 'members/add-member-to-repositories',
          target: { id: userId, name: userId },
          after: Object.fromEntries(
            repositories.map((each) => [each.repositoryReference, each.repositoryPermissionLevel]),
          ),
        }),
      ],
    }),
    within,
  );
  return JSON.stringify({
    userId,
    repositories: repositories.map(({ repositoryReference, repositoryPermissionLevel }) => ({
      repositoryId: repositoryReference,
      repositoryName: names.get(repositoryReference),
      repositoryPermissionLevel,
    })),
  });
};
