import {
  type AttributeValue,
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { heldBy, type Item, type Key } from './keys.ts';

type Values = Readonly<Record<`:${string}`, unknown>>;

/** Inserts an item; refused when its key is taken. */
interface Insert {
  readonly insert: Item;
}

/** The insertion of what a key is said to hold. */
export const insertion = <T extends object>(key: Key<T>, held: NoInfer<T>): Insert => ({ insert: { ...key, ...held } });

/** Names of attributes that are not what stands behind `#`. */
type Names = Readonly<Record<`#${string}`, string>>;

/** Writes an item whatever is there. */
export interface Put {
  readonly put: Item;
}

/** Changes an item, under a condition if one is given. Attributes are written `#name`, values `:name`. */
export interface Update {
  readonly update: Key;
  readonly set: string;
  readonly if?: string;
  readonly values?: Values;
  readonly names?: Names;
}

/** Removes an item, under a condition if one is given. */
export interface Remove {
  readonly remove: Key;
  readonly if?: string;
  readonly values?: Values;
}

/** Demands a condition of an item that is not changed. */
export interface Check {
  readonly check: Key;
  readonly if: string;
  readonly values?: Values;
}

/** One action of a transaction. */
export type Write = Insert | Put | Update | Remove | Check;

/** What failed, by the position of the write: `found` is the item that was there, if any. */
export type Refusal = readonly ({ readonly found: Item | undefined } | undefined)[];

/** What stood in the way of the write at a position, typed by the key of that write. */
export const foundBy = <T>(key: Key<T>, refusal: Refusal, position = 0): T | undefined =>
  heldBy(key, refusal[position]?.found);

/** The condition and the placeholders of an expression; every `#name` stands for the attribute of that name. */
export const expression = (text: string, condition: string | undefined, values?: Values, special: Names = {}) => {
  const names = [...new Set(text.match(/#\w+/g))];
  return {
    ConditionExpression: condition,
    ExpressionAttributeNames:
      names.length > 0 ? { ...Object.fromEntries(names.map((name) => [name, name.slice(1)])), ...special } : undefined,
    ExpressionAttributeValues: values && Object.keys(values).length > 0 ? values : undefined,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
};

type Action = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** A write as DynamoDB takes it. Inserted items carry the write id, by which a lost reply is recognised. */
export const writeAction = (write: Write, writeId: string, table: string): Action => {
  if ('insert' in write)
    return {
      Put: {
        TableName: table,
        Item: { ...write.insert, writeId },
        ...expression('', 'attribute_not_exists(pk)'),
      },
    };
  if ('put' in write) return { Put: { TableName: table, Item: write.put } };
  if ('update' in write) {
    const { update, set, values, names } = write;
    return {
      Update: {
        TableName: table,
        Key: update,
        UpdateExpression: set,
        ...expression(`${set} ${write.if ?? ''}`, write.if, values, names),
      },
    };
  }
  const condition = expression(write.if ?? '', write.if, write.values);
  return 'remove' in write
    ? { Delete: { TableName: table, Key: write.remove, ...condition } }
    : { ConditionCheck: { TableName: table, Key: write.check, ...condition } };
};

/** Errors come back as the low-level client makes them: lib-dynamodb translates answers only. */
type Stored = Record<string, AttributeValue>;

const plain = (item: Stored | undefined): Item | undefined => item && (unmarshall(item) as Item);

/** Which conditions failed, if conditions are why the table refused. */
export const refusalOf = (error: unknown): Refusal | undefined => {
  if (error instanceof ConditionalCheckFailedException) return [{ found: plain(error.Item) }];
  if (!(error instanceof TransactionCanceledException)) return undefined;
  const refusal = (error.CancellationReasons ?? []).map((reason) =>
    reason.Code === 'ConditionalCheckFailed' ? { found: plain(reason.Item) } : undefined,
  );
  return refusal.some((reason) => reason !== undefined) ? refusal : undefined;
};
