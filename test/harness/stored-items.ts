import {
  type AttributeValue,
  BatchWriteItemCommand,
  DynamoDBClient,
  paginateScan,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { chunksOf } from '../../shared/chunks.ts';
import { config } from '../../shared/config.ts';

/** An item as DynamoDB's wire has it, whatever codec wrote it. */
export type StoredItem = Readonly<Record<string, AttributeValue>>;

const batchMax = 25;

/** Everything that the table holds, past everything that stands before it. */
export const readItems = async (): Promise<StoredItem[]> => {
  const client = new DynamoDBClient({});
  const items: StoredItem[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName: config.tableName })) items.push(...Items);
  client.destroy();
  return items;
};

const write = async (requests: readonly WriteRequest[]): Promise<void> => {
  const client = new DynamoDBClient({});
  for (const batch of chunksOf(requests, batchMax))
    await client.send(new BatchWriteItemCommand({ RequestItems: { [config.tableName]: batch } }));
  client.destroy();
};

/** Lets the table hold these items and no others. */
export const replaceItems = async (items: readonly StoredItem[]): Promise<void> => {
  const old = await readItems();
  await write(old.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } as never } })));
  await write(items.map((Item) => ({ PutRequest: { Item } })));
};
