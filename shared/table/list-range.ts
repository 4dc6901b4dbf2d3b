import type { ListKey } from './keys.ts';
import { tableSchema } from './schema.ts';

const [surrogatesFirst, surrogatesEnd] = [0xd800, 0xe000];

/**
 * The first text that sorts after all texts with the prefix: its last character is one higher. Undefined if there is
 * none, because nothing is higher than U+10FFFF.
 */
const endOf = (prefix: string): string | undefined => {
  const characters = Array.from(prefix.replace(/\u{10FFFF}+$/u, ''));
  const last = characters.pop()?.codePointAt(0);
  if (last === undefined) return undefined;
  const next = last + 1 === surrogatesFirst ? surrogatesEnd : last + 1;
  return characters.join('') + String.fromCodePoint(next);
};

/** The condition of a query for a list: the items of a partition whose sort keys begin with a prefix. */
export const rangeOf = ({ pk, prefix }: ListKey) => {
  if (prefix === '') return { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': pk } };
  const end = endOf(prefix);
  // begins_with would be shorter, but with it the embedded engine reads everything before the list in the partition.
  return {
    KeyConditionExpression: `pk = :pk AND ${end === undefined ? 'sk >= :prefix' : 'sk BETWEEN :prefix AND :end'}`,
    ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix, ...(end !== undefined && { ':end': end }) },
  };
};

/** The same in an index, after a position: there, the keys of the table would have to be known to start after it. */
export const indexRangeOf = ({ pk, prefix }: ListKey, index: 'records', after: string | undefined) => ({
  IndexName: index,
  KeyConditionExpression: '#partition = :pk AND sk BETWEEN :from AND :end',
  ExpressionAttributeNames: { '#partition': tableSchema.recordsIndex.partitionKey },
  ExpressionAttributeValues: {
    ':pk': pk,
    ':from': after === undefined ? prefix : `${prefix}${after}\0`,
    ':end': endOf(prefix),
  },
});
