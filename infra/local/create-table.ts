import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ResourceNotFoundException,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import type { TableDefinition } from './assembly.ts';
import type { Credentials } from './credentials.ts';
import { StartError } from './start-error.ts';
import { local } from './template.ts';

/**
 * Creates the table of the template unless the engine has it, and returns when the table is ready. One of an earlier release gets the
 * index, and one whose start was killed before it was complete gets what it lacks.
 */
export const ensureTable = async (
  { input, timeToLive }: TableDefinition,
  endpoint: string,
  credentials: Credentials,
): Promise<void> =>
  askEngine(input.TableName, endpoint, credentials, async (client) => {
    const { TableName } = input;
    if (await exists(client, TableName)) await complete(client, input);
    else {
      await client.send(new CreateTableCommand(input));
      await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 0.05, maxDelay: 2 }, { TableName });
    }
    await ensureTimeToLive(client, TableName, timeToLive);
  });

/** Whether the engine has the table. */
export const hasTable = async (TableName: string, endpoint: string, credentials: Credentials): Promise<boolean> =>
  askEngine(TableName, endpoint, credentials, async (client) => exists(client, TableName));

const askEngine = async <T>(
  TableName: string,
  endpoint: string,
  credentials: Credentials,
  ask: (client: DynamoDBClient) => Promise<T>,
): Promise<T> => {
  const client = new DynamoDBClient({ endpoint, region: local.region, credentials });
  try {
    return await ask(client);
  } catch (error) {
    throw new StartError(
      `The table engine at ${endpoint} does not provide the table ${TableName} (${(error as Error).message || (error as Error).name}): check that this is the right URL and that the engine runs.`,
    );
  } finally {
    client.destroy();
  }
};

/** An engine refuses to switch on what is on. */
const ensureTimeToLive = async (client: DynamoDBClient, TableName: string, AttributeName: string): Promise<void> => {
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  if (TimeToLiveDescription?.TimeToLiveStatus?.startsWith('ENABL')) return;
  const TimeToLiveSpecification = { AttributeName, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
};

const exists = async (client: DynamoDBClient, TableName: string): Promise<boolean> => {
  try {
    await client.send(new DescribeTableCommand({ TableName }));
    await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 0.05, maxDelay: 2 }, { TableName });
    return true;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return false;
    throw error;
  }
};

/** Adds to a table the index that its template has got since it was created. */
const complete = async (
  client: DynamoDBClient,
  { TableName, AttributeDefinitions, GlobalSecondaryIndexes = [] }: TableDefinition['input'],
): Promise<void> => {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  const indexes = new Set(Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName));
  for (const Create of GlobalSecondaryIndexes.filter(({ IndexName }) => !indexes.has(IndexName))) {
    const update = { TableName, AttributeDefinitions, GlobalSecondaryIndexUpdates: [{ Create }] };
    await client.send(new UpdateTableCommand(update));
    await waitUntilTableExists({ client, maxWaitTime: 600, minDelay: 0.05, maxDelay: 2 }, { TableName });
  }
};
