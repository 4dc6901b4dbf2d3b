import type { ListKey } from './keys.ts';

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

/** The part of a partition that a list is, as a condition on the keys. */
export const rangeOf = ({ pk, prefix }: ListKey) => {
  if (prefix === '') return { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': pk } };
  const end = endOf(prefix);
  // Not begins_with: the embedded engine would read everything that comes before it in the partition.
  return {
    KeyConditionExpression: `pk = :pk AND ${end === undefined ? 'sk >= :prefix' : 'sk BETWEEN :prefix AND :end'}`,
    ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix, ...(end !== undefined && { ':end': end }) },
  };
};
