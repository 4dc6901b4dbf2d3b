import {
  CreateTableCommand,
  DescribeTableCommand,
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

/** Creates the table of the template unless the engine has it, and returns when the table is ready. One of an earlier release gets the index. */
export const ensureTable = async (
  { input, timeToLive }: TableDefinition,
  endpoint: string,
  credentials: Credentials,
): Promise<void> => {
  const client = new DynamoDBClient({ endpoint, region: local.region, credentials });
  const { TableName } = input;
  try {
    if (await exists(client, TableName)) {
      await complete(client, input);
      return;
    }
    await client.send(new CreateTableCommand(input));
    await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 0.05, maxDelay: 2 }, { TableName });
    await client.send(
      new UpdateTimeToLiveCommand({
        TableName,
        TimeToLiveSpecification: { AttributeName: timeToLive, Enabled: true },
      }),
    );
  } catch (error) {
    throw new StartError(
      `The table engine at ${endpoint} does not provide the table ${TableName} (${(error as Error).message || (error as Error).name}): check that this is the right URL and that the engine runs.`,
    );
  } finally {
    client.destroy();
  }
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
