import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { heldBy, type Item, type Key } from './keys.ts';
import { isCancelled, isConditionFailure } from './retries.ts';
import { plain, stored } from './stored-items.ts';

type Values = Readonly<Record<`:${string}`, unknown>>;

/** Inserts an item. It fails if the key is taken. */
interface Insert {
  readonly insert: Item;
}

/** The insertion of an item with the type that its key gives it. */
export const insertion = <T extends object>(key: Key<T>, held: NoInfer<T>): Insert => ({ insert: { ...key, ...held } });

/** The names of attributes that differ from their placeholders without `#`. */
type Names = Readonly<Record<`#${string}`, string>>;

/** Writes an item, whether or not there is one under its key, or under a condition. */
export interface Put {
  readonly put: Item;
  readonly if?: string;
  readonly values?: Values;
}

/** Replaces an item that was read. It fails if the item has changed since. */
interface Replacement {
  readonly replace: Item;
  /** The write ID that the item had when it was read. */
  readonly seen: string;
}

/** The replacement of an item that was inserted, with the type that its key gives it. */
export const replacement = <T extends object>(key: Key<T>, held: NoInfer<T>, { writeId }: Written): Replacement => ({
  replace: { ...key, ...held },
  seen: writeId ?? '',
});

/** What every item has that was inserted or replaced. `Table.write` sets it. */
export interface Written {
  readonly writeId?: string;
}

/** Changes an item, under a condition if there is one. `#name` is an attribute, and `:name` is a value. */
export interface Update {
  readonly update: Key;
  readonly set: string;
  readonly if?: string;
  readonly values?: Values;
  readonly names?: Names;
}

/** Removes an item, under a condition if there is one. */
export interface Remove {
  readonly remove: Key;
  readonly if?: string;
  readonly values?: Values;
}

/** Checks a condition of an item without changing it. */
export interface Check {
  readonly check: Key;
  readonly if: string;
  readonly values?: Values;
}

/** One action of a transaction. */
export type Write = Insert | Put | Replacement | Update | Remove | Check;

/** The failed conditions, by the position of the write. `found` is the item that was there, if there was one. */
export type Refusal = readonly ({ readonly found: Item | undefined } | undefined)[];

/** The item that failed the condition of the write at a position, with the type that its key gives it. */
export const foundBy = <T>(key: Key<T>, refusal: Refusal, position = 0): T | undefined =>
  heldBy(key, refusal[position]?.found);

/** The condition and the placeholders of an expression. Every `#name` is the attribute with that name. */
export const expression = (text: string, condition: string | undefined, values?: Values, special: Names = {}) => {
  const names = [...new Set(text.match(/#\w+/g))];
  return {
    ConditionExpression: condition,
    ExpressionAttributeNames:
      names.length > 0 ? { ...Object.fromEntries(names.map((name) => [name, name.slice(1)])), ...special } : undefined,
    ExpressionAttributeValues: values && Object.keys(values).length > 0 ? stored(values) : undefined,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
};

/**
 * A write in the form of DynamoDB. Inserted and replaced items contain the write ID, which shows that a write succeeded although its
 * reply was lost.
 */
export const writeAction = (write: Write, writeId: string, table: string): TransactWriteItem => {
  if ('insert' in write)
    return {
      Put: {
        TableName: table,
        Item: stored({ ...write.insert, writeId }),
        ...expression('', 'attribute_not_exists(pk)'),
      },
    };
  if ('replace' in write) {
    const condition = '#writeId = :seen';
    return {
      Put: {
        TableName: table,
        Item: stored({ ...write.replace, writeId }),
        ...expression(condition, condition, { ':seen': write.seen }),
      },
    };
  }
  if ('put' in write) {
    const condition = write.if === undefined ? {} : expression(write.if, write.if, write.values);
    return { Put: { TableName: table, Item: stored(write.put), ...condition } };
  }
  if ('update' in write) {
    const { update, set, values, names } = write;
    return {
      Update: {
        TableName: table,
        Key: stored(update),
        UpdateExpression: set,
        ...expression(`${set} ${write.if ?? ''}`, write.if, values, names),
      },
    };
  }
  const condition = expression(write.if ?? '', write.if, write.values);
  return 'remove' in write
    ? { Delete: { TableName: table, Key: stored(write.remove), ...condition } }
    : { ConditionCheck: { TableName: table, Key: stored(write.check), ...condition } };
};

/** An item would be larger than the 400 KiB that DynamoDB takes. */
export class ItemTooLargeError extends Error {
  override readonly name = 'ItemTooLargeError';
}

/** Whether the table refused a write because an item would be too large. DynamoDB says so only in the message. */
const isItemTooLarge = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const reasons = isCancelled(error) ? (error.CancellationReasons ?? []) : [];
  return [error.message, ...reasons.map(({ Message }) => Message)].some(
    (message) => message !== undefined && /item size .*exceeded/i.test(message),
  );
};

/** The failed conditions, if the table refused a write because of conditions. Throws an ItemTooLargeError for a large item. */
export const refusalOf = (error: unknown): Refusal | undefined => {
  if (isItemTooLarge(error)) throw new ItemTooLargeError('An item is too large.', { cause: error });
  if (isConditionFailure(error)) return [{ found: error.Item && plain(error.Item) }];
  if (!isCancelled(error)) return undefined;
  const refusal = (error.CancellationReasons ?? []).map((reason) =>
    reason.Code === 'ConditionalCheckFailed' ? { found: reason.Item && plain(reason.Item) } : undefined,
  );
  return refusal.some((reason) => reason !== undefined) ? refusal : undefined;
};
