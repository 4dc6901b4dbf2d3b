import { tokenPrefixes } from '../../shared/auth/tokens.ts';

/**
 * Every password that the tests invent carries this mark and every token the prefix of its kind, so that a secret is recognised wherever
 * it comes out: in a log line, in the table's traffic or in an answer, in the clear or encoded.
 */
export const secretMark = 'c4n4ry~pa ss';

/** The part of the base64 text that is the same whatever stands before and after the bytes, for each of the 3 alignments. */
const base64Forms = (text: string): string[] =>
  [0, 1, 2].map((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]);
    const whole = bytes.toString('base64').replaceAll('=', '');
    const first = Math.ceil((offset * 8) / 6);
    return whole.slice(first, Math.floor((bytes.length * 8) / 6));
  });

const formsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  new URLSearchParams([['', secret]]).toString().slice(1),
  Buffer.from(secret).toString('hex'),
  Buffer.from(secret).toString('hex').toUpperCase(),
  ...base64Forms(secret),
  ...base64Forms(secret).map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
];

const passwordForms = formsOf(secretMark);
const tokenForms = Object.values(tokenPrefixes).flatMap(formsOf);

/** The form in which a text carries a password or a token of the tests, if it does. */
export const findSecret = (text: string): string | undefined =>
  findPassword(text) ?? tokenForms.find((form) => text.includes(form));

/** The form in which a text carries a password of the tests, if it does. */
export const findPassword = (text: string): string | undefined => passwordForms.find((form) => text.includes(form));
