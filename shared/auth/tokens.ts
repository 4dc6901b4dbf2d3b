import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The kinds of tokens, and how each begins. That of a cookie is part of the cookie of a session, and no credential of the API. */
export const tokenPrefixes = {
  personal: 'str_pat_',
  workspace: 'str_wst_',
  trust: 'str_tst_',
  session: 'str_ses_',
  cookie: 'str_cke_',
} as const;
export type TokenKind = keyof typeof tokenPrefixes;

/**
 * A token is the prefix of its kind, 256 random bits in base62, and a CRC32 in base62. Scanners recognise it, and a typing
 * error is refused without a read.
 */
const secretLength = 43;
const checksumLength = 6;

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const anyPrefix = `(?:${Object.values(tokenPrefixes).join('|')})`;
const shape = new RegExp(`^${anyPrefix}[${alphabet}]{${secretLength + checksumLength}}$`);

const base62 = (value: bigint, length: number): string => {
  let digits = '';
  for (let rest = value; digits.length < length; rest /= 62n) digits = alphabet.charAt(Number(rest % 62n)) + digits;
  return digits;
};

const checksum = (text: string): string => base62(BigInt(crc32(text)), checksumLength);

/** The token with a random part of 43 letters and digits. */
export const tokenOf = (random: string, kind: TokenKind = 'personal'): string => {
  const unchecked = tokenPrefixes[kind] + random;
  return unchecked + checksum(unchecked);
};

/** 256 bits as 43 letters and digits. */
export const secretOf = (bytes: Buffer): string => base62(BigInt(`0x${bytes.toString('hex')}`), secretLength);

/** Generates a token. */
export const newToken = (kind: TokenKind = 'personal'): string => tokenOf(secretOf(randomBytes(32)), kind);

/** Whether a text has the form and the checksum of a token. */
export const isToken = (text: string): boolean =>
  shape.test(text) && checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);

/** A text in which nobody can read a token. It is for logs: a client can send a token where none belongs. */
export const withoutTokens = (text: string): string =>
  text.replaceAll(new RegExp(`${anyPrefix}[${alphabet}]+`, 'g'), '{token}');

/** The SHA-256 of a token, which is all that is stored of it. 256 random bits need no salt and no slow hash. */
export const hashToken = (token: string): string => hash('sha256', token);

/**
 * The ID of a token: the first 122 bits of its hash as a UUID of version 8 (RFC 9562 section 5.8). So the credential,
 * the list and the deletion all lead to the key of one item.
 */
export const tokenIdOf = (tokenHash: string): string => {
  const variant = ((Number.parseInt(tokenHash.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return [
    tokenHash.slice(0, 8),
    tokenHash.slice(8, 12),
    `8${tokenHash.slice(13, 16)}`,
    variant + tokenHash.slice(17, 20),
    tokenHash.slice(20, 32),
  ].join('-');
};
