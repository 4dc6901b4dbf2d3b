import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { Item } from './keys.ts';

/** An item, a key or the values of an expression, as the table takes them. */
export type Stored = Record<string, AttributeValue>;

/**
 * Attributes as the table takes them; those that are undefined are left out. The SDK's own client for documents does the same, at the
 * price of a second chain of middleware around each call, which is made anew each time: 0.3 ms.
 */
export const stored = (attributes: object): Stored => marshall(attributes, { removeUndefinedValues: true });

/** An item that the table returned. */
export const plain = (item: Stored): Item => unmarshall(item) as Item;
