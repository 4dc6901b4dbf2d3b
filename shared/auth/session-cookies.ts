import { createHmac, randomBytes } from 'node:crypto';
import { hashToken, isToken, newToken, secretOf } from './tokens.ts';

/**
 * The cookie of a session: `<family>.<turn>`. The family is a token of its own kind, the same as long as the session lasts, whose hash
 * leads to the session. The turn changes with each renewal: a cookie of the family with an old turn is a copy.
 */
export interface SessionCookie {
  readonly family: string;
  readonly turn: string;
}

const turnShape = /^[0-9A-Za-z]{43}$/;

/** The cookie of a new session. */
export const newSessionCookie = (): SessionCookie => ({ family: newToken('cookie'), turn: secretOf(randomBytes(32)) });

/** A seed from which, with a turn, the next one is made. It is stored, and without the turn it is worth nothing. */
export const newTurnSeed = (): string => randomBytes(32).toString('hex');

/** The turn after another. Who has the earlier one gets the same again: the answer of a renewal can be lost, or two tabs renew at once. */
export const turnAfter = (turn: string, seed: string): string =>
  secretOf(createHmac('sha256', turn).update(seed).digest());

/** The hash of a turn, which is all that is stored of it. */
export const hashTurn = (turn: string): string => hashToken(turn);

/** Where a cookie is set: over HTTPS its name keeps other hosts of the domain from setting it (RFC 6265bis section 4.1.3.2). */
const nameAt = (baseUrl: string): string => (baseUrl.startsWith('https:') ? '__Host-stockroom' : 'stockroom');

const attributes = 'HttpOnly; SameSite=Strict; Path=/';

const setCookie = (baseUrl: string, value: string, maxAgeSeconds: number): string => {
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
  return `${nameAt(baseUrl)}=${value}; Max-Age=${maxAgeSeconds}; ${attributes}${secure}`;
};

/** The Set-Cookie header that stores a cookie for some seconds. On `http://127.0.0.1` it is without Secure. */
export const storedCookie = (baseUrl: string, { family, turn }: SessionCookie, maxAgeSeconds: number): string =>
  setCookie(baseUrl, `${family}.${turn}`, maxAgeSeconds);

/** The Set-Cookie header that removes the cookie. */
export const removedCookie = (baseUrl: string): string => setCookie(baseUrl, '', 0);

/** The cookie in a Cookie header; undefined if there is none or several, or if it cannot be one. */
export const sessionCookieIn = (header: string | undefined, baseUrl: string): SessionCookie | undefined => {
  const start = `${nameAt(baseUrl)}=`;
  const [value = '', ...others] = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length));
  const [family = '', turn = '', ...rest] = value.split('.');
  const isWhole = others.length === 0 && rest.length === 0 && isToken(family) && turnShape.test(turn);
  return isWhole ? { family, turn } : undefined;
};
