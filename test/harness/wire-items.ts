import { chunksOf } from '../../shared/chunks.ts';
import { config } from '../../shared/config.ts';
import type { Item } from '../../shared/table/keys.ts';

/** A value as the JSON protocol of DynamoDB has it. */
type WireValue =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly B: string }
  | { readonly BOOL: boolean }
  | { readonly NULL: true }
  | { readonly L: readonly WireValue[] }
  | { readonly M: WireItem }
  | { readonly SS: readonly string[] }
  | { readonly NS: readonly string[] }
  | { readonly BS: readonly string[] };
export type WireItem = Readonly<Record<string, WireValue>>;

const bytesOf = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'));

const decode = (value: WireValue): unknown => {
  if ('S' in value) return value.S;
  if ('N' in value) return Number(value.N);
  if ('B' in value) return bytesOf(value.B);
  if ('BOOL' in value) return value.BOOL;
  if ('NULL' in value) return null;
  if ('L' in value) return value.L.map(decode);
  if ('M' in value) return decodeItem(value.M);
  if ('SS' in value) return new Set(value.SS);
  if ('NS' in value) return new Set(value.NS.map(Number));
  return new Set(value.BS.map(bytesOf));
};

/** The values of an item, as the table layer has them. */
export const decodeItem = (item: WireItem): Record<string, unknown> =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, decode(value)]));

/** Local engines check no signature, but want one. */
const unsigned = (): string => {
  const { AWS_ACCESS_KEY_ID, AWS_REGION } = process.env;
  const scope = `${AWS_ACCESS_KEY_ID}/20260101/${AWS_REGION}/dynamodb/aws4_request`;
  return `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`;
};

interface Page {
  readonly Items: readonly WireItem[];
  readonly LastEvaluatedKey?: WireItem;
}

const ask = async <Reply>(operation: string, body: object): Promise<Reply> => {
  const answer = await fetch(String(process.env.AWS_ENDPOINT_URL_DYNAMODB), {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-amz-json-1.0',
      'X-Amz-Target': `DynamoDB_20120810.${operation}`,
      'X-Amz-Date': '20260101T000000Z',
      Authorization: unsigned(),
    },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`The engine does not answer a ${operation}: ${await answer.text()}`);
  return (await answer.json()) as Reply;
};

const scan = (after: WireItem | undefined): Promise<Page> =>
  ask('Scan', { TableName: config.tableName, ConsistentRead: true, ExclusiveStartKey: after });

/**
 * Everything that the table holds, past the proxy. By hand: with a large table, the SDK takes most of the time of a test
 * that looks at the table often.
 */
export const wireItems = async (): Promise<WireItem[]> => {
  const items: WireItem[] = [];
  let page: Page | undefined;
  do {
    page = await scan(page?.LastEvaluatedKey);
    items.push(...page.Items);
  } while (page.LastEvaluatedKey);
  return items;
};

/** The maximum number of keys in one batch of reads. */
const batchMax = 100;

/** The items under these keys, past the proxy; keys without an item are left out. */
export const wireItemsOf = async (keys: readonly Pick<Item, 'pk' | 'sk'>[]): Promise<WireItem[]> => {
  const items: WireItem[] = [];
  for (const chunk of chunksOf(keys, batchMax)) {
    const Keys = chunk.map(({ pk, sk }) => ({ pk: { S: pk }, sk: { S: sk } }));
    const RequestItems = { [config.tableName]: { ConsistentRead: true, Keys } };
    const { Responses } = await ask<{ Responses: Record<string, WireItem[]> }>('BatchGetItem', { RequestItems });
    items.push(...(Responses[config.tableName] ?? []));
  }
  return items;
};
