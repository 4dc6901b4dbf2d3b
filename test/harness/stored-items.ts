import { isDeepStrictEqual } from 'node:util';
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

let kept: DynamoDBClient | undefined;
/** One for all calls: a new one costs more than its call. */
const client = (): DynamoDBClient => {
  kept ??= new DynamoDBClient({});
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
