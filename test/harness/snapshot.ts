import { chunksOf } from '../../shared/chunks.ts';
import { config } from '../../shared/config.ts';
import { type Item, keyText } from '../../shared/table/keys.ts';
import { sha256 } from './bytes.ts';

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

/** The engine itself, where the calls of this process pass a proxy. */
export const engineVariable = 'TESTS_ENGINE_URL';

const ask = async <Reply>(operation: string, body: object): Promise<Reply> => {
  const { [engineVariable]: engineUrl, AWS_ENDPOINT_URL_DYNAMODB: tableUrl } = process.env;
  const answer = await fetch(String(engineUrl ?? tableUrl), {
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

/** Everything that the table holds, by key. An item that two snapshots in a row hold alike is the same object in both. */
export type Snapshot = ReadonlyMap<string, Item>;

let latest: ReadonlyMap<string, Item> = new Map();

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

/** The same text for the same item. An engine answers with the attributes in any order. */
const textOf = (wire: WireItem): string =>
  JSON.stringify(
    Object.entries(wire)
      .map(([name, value]) => [name, 'M' in value ? Object.entries(value.M).toSorted(byName) : value] as const)
      .toSorted(byName),
  );

/** Reads the whole table from the engine, past the proxy. */
export const snapshot = async (): Promise<Snapshot> => {
  const before = latest;
  const decoded = (await wireItems()).map((wire): [string, Item] => {
    const text = textOf(wire);
    return [text, before.get(text) ?? (decodeItem(wire) as Item)];
  });
  latest = new Map(decoded);
  return new Map(decoded.map(([, item]) => [keyText(item), item]));
};

/**
 * What writes of only these keys, each as `pk sk`, have changed since a snapshot, which is brought up to date: to read a large
 * table for each of many requests would take most of a test.
 */
export const changesOf = async (table: Map<string, Item>, written: Iterable<string>): Promise<string[]> => {
  const keys = Array.from(new Set(written), (text) => {
    // No partition key of the tests has a space.
    const [pk = '', ...rest] = text.split(' ');
    return { pk, sk: rest.join(' ') };
  });
  const before = new Map<string, Item>();
  for (const key of keys.map(keyText)) {
    const item = table.get(key);
    if (item) before.set(key, item);
    table.delete(key);
  }
  const found = (await wireItemsOf(keys)).map((wire) => decodeItem(wire) as Item);
  const after = new Map(found.map((item) => [keyText(item), item]));
  for (const [key, item] of after) table.set(key, item);
  return changesBetween(before, after);
};

/** Values that are new each time, and the mark that stands for each. */
const marks: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>'],
  [/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, '<time>'],
  // The files of Python packages have an underscore for the hyphen.
  [/\b[a-z]+[-_][0-9a-f]{12}(?![0-9a-z])/g, '<name>'],
  [/\b[0-9a-f]{64}\b/g, '<hash>'],
  [/\$argon2id\$[^"]+/g, '<password hash>'],
  [/COUNT#\d{3}/g, 'COUNT#<shard>'],
  [/GRANTS#<id>#[0-9a-f]/g, 'GRANTS#<id>#<shard>'],
  [/INDEX#[0-9a-z]{21}/g, 'INDEX#<change>'],
  [/RECORD#\d{13}/g, 'RECORD#<time>'],
  [/recordShard="\d"/g, 'recordShard="<shard>"'],
  [/objectId="[\w-]{12}"/g, 'objectId="<object>"'],
  [/#(session|image)#\d+/g, '#$1#<slot>'],
  [/\bslot=\d+/g, 'slot=<slot>'],
];

const masked = (text: string): string => marks.reduce((rest, [pattern, mark]) => rest.replaceAll(pattern, mark), text);

/** What differs each time without a pattern of its own; the hour of a token's last use is a best-effort write. */
const varying: Readonly<Record<string, string>> = { countShare: '<shard>', passwordCiphertext: '<ciphertext>' };

const told = (name: string, value: unknown): string =>
  value !== null && name in varying ? `${name}=${varying[name]}` : `${name}=${canonical(value)}`;

/** One text for equal values: sets and the keys of maps have no order. */
const canonical = (value: unknown): string => {
  if (value instanceof Uint8Array) return `<bytes>${sha256(value)}`;
  if (Array.isArray(value)) return `[${value.map(canonical).join(', ')}]`;
  const members = membersOf(value);
  return members ? `{${members.toSorted().join(', ')}}` : (JSON.stringify(value) ?? 'undefined');
};

const isNoted = (name: string): boolean => name !== 'lastUsedAt' && name !== 'writeId' && name !== 'expiresAt';

/** The members of a set or a map, each as one text. */
const membersOf = (value: unknown): string[] | undefined => {
  if (value instanceof Set) return [...value].map(canonical);
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
  return isMap ? Object.entries(value).map(([name, member]) => `${name}=${canonical(member)}`) : undefined;
};

/** What became of an attribute; of a number by how much it moved, of a set or map what came and went. */
const changeOf = (name: string, was: unknown, is: unknown): string => {
  if (typeof was === 'number' && typeof is === 'number') return `${name} moved by ${is - was}`;
  const [before = [], after = []] = [membersOf(was), membersOf(is)];
  if (before.length + after.length === 0) return is === undefined ? `no ${name}` : told(name, is);
  const came = after.filter((member) => !before.includes(member)).map(masked);
  const went = before.filter((member) => !after.includes(member)).map(masked);
  return `${name} +[${came.toSorted().join(', ')}] -[${went.toSorted().join(', ')}]`;
};

const attributeChanges = (before: Item | undefined, after: Item): string[] =>
  Object.keys({ ...before, ...after })
    .filter((name) => isNoted(name) && canonical(before?.[name]) !== canonical(after[name]))
    .map((name) => changeOf(name, before?.[name], after[name]))
    .toSorted();

/**
 * What was written between two snapshots, one line per item, in an order that depends on nothing: ids, names and times
 * are masked, so that the same request makes the same changes each time.
 */
export const changesBetween = (before: Snapshot, after: Snapshot): string[] => {
  const lines: string[] = [];
  for (const [key, item] of after) {
    if (isUsage(item) || isPasswordCheck(item)) continue;
    const old = before.get(key);
    if (old === item) continue;
    const changes = attributeChanges(old, item);
    if (changes.length > 0) lines.push(masked(`${old ? 'changed' : 'added'} ${keyOf(key)}: ${changes.join(', ')}`));
  }
  for (const [key, item] of before) if (!isUsage(item) && !after.has(key)) lines.push(`removed ${masked(keyOf(key))}`);
  return [...lines, ...usageMoves(before, after)].toSorted();
};

/** Each second has a count of its own, which several requests may share. */
const isPasswordCheck = ({ pk }: Item): boolean => pk.startsWith('CHECKS#');

/** Of a workspace, of the content of a repository, or of the files of a package that belong to no version. */
const isUsage = ({ pk, sk }: Item): boolean => pk.startsWith('USAGE#') || sk.startsWith('SIZE#');

const usageFields = ['bytes', 'files', 'packages'];

/** By how much each usage moved: which shards hold it is a matter of chance. */
const usageMoves = (before: Snapshot, after: Snapshot): string[] => {
  const moves = new Map<string, number>();
  const add = (when: Snapshot, sign: number): void => {
    for (const item of [...when.values()].filter(isUsage))
      for (const field of usageFields) {
        const move = `${item.pk}: ${field}`;
        moves.set(move, (moves.get(move) ?? 0) + sign * Number(item[field] ?? 0));
      }
  };
  add(before, -1);
  add(after, 1);
  return [...moves].filter(([, moved]) => moved !== 0).map(([move, moved]) => `${masked(move)} moved by ${moved}`);
};

const keyOf = (key: string): string => key.replace('\n', ' ');
