import { readQuoted, resolvePlain } from './yaml-scalars.ts';

/** A line without its indentation. Reading an item of a list replaces its `-` by indentation. */
export interface Line {
  readonly raw: string;
  readonly indent: number;
  readonly text: string;
}

/** An item of a list. */
export const isItem = ({ text }: Line): boolean => /^-(?:[ \t]|$)/.test(text);

/** Neither a value nor a key. */
export const isBlank = ({ text }: Line): boolean => text === '' || text.startsWith('#');

/** The key of a member of a mapping, and what follows the colon. */
export interface MemberKey {
  readonly key: string;
  readonly rest: string;
  readonly offset: number;
}

/** The key takes the blanks before its colon, too: whatever may be either costs the square of its length. */
const plainKey = /^(?<key>(?:[^\s,[\]{}#&*!|>'"%@`?:-]|[?:-](?=\S))(?:[^:#]|:(?=\S)|(?<=\S)#)*):(?=[ \t]|$)/;

/** The key of a line; undefined if the line is no member of a mapping. */
export const keyOf = ({ text }: Line): MemberKey | undefined => {
  const quoted = /^["']/.test(text) ? readQuoted(text, 0) : undefined;
  const plain = quoted ? undefined : plainKey.exec(text);
  const colon = quoted ? /^[ \t]*:(?=[ \t]|$)/.exec(text.slice(quoted.end)) : undefined;
  const offset = plain ? plain[0].length : colon && quoted ? quoted.end + colon[0].length : undefined;
  if (offset === undefined) return undefined;
  const key = quoted ? quoted.value : String(resolvePlain(plain?.groups?.key?.trimEnd() ?? ''));
  return { key, rest: text.slice(offset).trimStart(), offset };
};
