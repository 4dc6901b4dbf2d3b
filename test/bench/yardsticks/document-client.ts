import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

let client: DynamoDBDocumentClient | undefined;

/** A handler that can read the table, and nothing else. */
export const handler = async (keys: Record<string, unknown>[]): Promise<unknown> => {
  client ??= DynamoDBDocumentClient.from(new DynamoDBClient({}));
  return client.send(new BatchGetCommand({ RequestItems: { [String(process.env.TABLE_NAME)]: { Keys: keys } } }));
};
