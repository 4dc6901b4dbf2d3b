import { tokenUsername } from '../usernames.ts';
import { isToken } from './tokens.ts';

/** What a caller authenticates with. It no longer shows the form of the header. */
export type Credential =
  | { readonly kind: 'token'; readonly token: string }
  | {
      readonly kind: 'password';
      readonly username: string;
      readonly password: string;
    };

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Canonical base64 of UTF-8 (RFC 4648 section 3.5), or undefined. */
const decodeBase64 = (text: string): string | undefined => {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) return undefined;
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
};

const tokenCredential = (token: string): Credential | undefined =>
  isToken(token) ? { kind: 'token', token } : undefined;

/** The credential of a username and a password: a token, if the username announces one. */
export const passwordCredential = (username: string, password: string): Credential | undefined =>
  username === tokenUsername ? tokenCredential(password) : { kind: 'password', username, password };

/**
 * Decodes the values of the Authorization headers of one request: Bearer with a token, a token alone as gem sends its key, Basic with
 * `token:<token>`, or Basic with `<username>:<password>`. Undefined if the header is not exactly one of these.
 */
export const decodeAuthorization = (values: readonly string[]): Credential | undefined => {
  const [value = '', ...others] = values;
  const [, scheme = '', rest = ''] = /^([A-Za-z]+) ([^ ]+)$/.exec(value) ?? [];
  if (others.length > 0) return undefined;
  if (!value.includes(' ')) return tokenCredential(value);
  if (scheme.toLowerCase() === 'bearer') return tokenCredential(rest);
  if (scheme.toLowerCase() !== 'basic') return undefined;
  const pair = decodeBase64(rest);
  const colon = pair?.indexOf(':') ?? -1;
  if (pair === undefined || colon < 0) return undefined;
  return passwordCredential(pair.slice(0, colon), pair.slice(colon + 1));
};
