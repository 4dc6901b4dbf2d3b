import {
  type AttributeValue,
  BatchWriteItemCommand,
  DynamoDBClient,
  paginateScan,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { chunksOf } from '../../shared/chunks.ts';
import { config } from '../../shared/config.ts';
import type { Item } from '../../shared/table/keys.ts';
import { inBatches } from './batches.ts';

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

/** Everything that the table holds, past everything that stands before it. */
export const readItems = async (): Promise<StoredItem[]> => {
  const client = new DynamoDBClient({});
  const items: StoredItem[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName: config.tableName }))
    items.push(...Items.map((item) => mapValues(item, stored)));
  client.destroy();
  return items;
};

const write = async (requests: readonly WriteRequest[]): Promise<void> => {
  const client = new DynamoDBClient({});
  await inBatches(chunksOf(requests, batchMax), atOnceMax, (batch) =>
    client.send(new BatchWriteItemCommand({ RequestItems: { [config.tableName]: batch } })),
  );
  client.destroy();
};

/** Stores items as they are. */
export const putItems = (items: readonly Item[]): Promise<void> =>
  write(items.map((item) => ({ PutRequest: { Item: marshall(item) } })));

/** Lets the table hold these items and no others. */
export const replaceItems = async (items: readonly StoredItem[]): Promise<void> => {
  const old = await readItems();
  await write(old.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } as never } })));
  await write(items.map((item) => ({ PutRequest: { Item: mapValues(item, unstored) } })));
};
