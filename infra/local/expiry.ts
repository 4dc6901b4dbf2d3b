import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  DynamoDBClient,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import { tableSchema } from '../../shared/table/schema.ts';
import type { TableDefinition } from './assembly.ts';
import { credentialsOf } from './credentials.ts';
import { hourMilliseconds, repeat } from './schedules.ts';
import { local } from './template.ts';

/**
 * Removes from the embedded engine what has expired, at once and then every hour, until the returned function is called. DynamoDB does
 * this by itself.
 */
export const keepExpiry = (
  { input: { TableName }, timeToLive }: TableDefinition,
  endpoint: string,
  complain: (line: string) => void,
): (() => Promise<void>) => {
  const client = new DynamoDBClient({ endpoint, region: local.region, credentials: credentialsOf('runner') });
  const stopping = new AbortController();
  const options = { abortSignal: stopping.signal };
  const removeExpired = async (): Promise<void> => {
    const expired = {
      TableName,
      ExpressionAttributeNames: { '#expiresAt': timeToLive },
      ExpressionAttributeValues: { ':now': { N: String(Math.floor(Date.now() / 1000)) } },
    };
    const condition = '#expiresAt < :now';
    const { partitionKey, sortKey } = tableSchema;
    const scan = { ...expired, FilterExpression: condition, ProjectionExpression: `${partitionKey}, ${sortKey}` };
    for await (const { Items = [] } of paginateScan({ client }, scan, options))
      for (const Key of Items)
        await client
          .send(new DeleteItemCommand({ ...expired, Key, ConditionExpression: condition }), options)
          .catch(passOverRenewed);
  };
  const run = async (): Promise<void> => {
    try {
      await removeExpired();
    } catch (error) {
      if (!stopping.signal.aborted) complain(`What has expired is not removed: ${(error as Error).message}`);
    }
  };
  const running = repeat(run, hourMilliseconds, stopping.signal);
  return async () => {
    stopping.abort();
    await running;
    client.destroy();
  };
};

/** What is renewed after the scan has found it stays. */
const passOverRenewed = (error: unknown): void => {
  if (!(error instanceof ConditionalCheckFailedException)) throw error;
};
