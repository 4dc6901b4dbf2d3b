import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { type ApiError, invalid } from '../errors.ts';
import type { Caller } from './caller.ts';

const cipherName = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Whom a cursor belongs to. */
type Owner = Pick<Caller, 'actor' | 'cursorSecret'>;

/**
 * The key is what every request reads anyway and no answer shows: 122 random bits or more. A secret of the stack would cost
 * every cold start another call.
 */
const keyOf = ({ actor, cursorSecret }: Owner, scope: readonly unknown[]): Buffer =>
  createHmac('sha256', cursorSecret)
    .update(JSON.stringify([actor.id, scope]))
    .digest();

/**
 * Makes a cursor: a position that is encrypted for one list and one caller, because it can be the name of a repository that
 * the caller may not see. It ends when the password of the user changes, or with the token of a caller that is no user.
 */
export const sealCursor = (position: string, caller: Owner, scope: readonly unknown[]): string => {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(cipherName, keyOf(caller, scope), nonce);
  const encrypted = Buffer.concat([cipher.update(position, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url');
};

/** The position in a cursor. A cursor of another list or of another caller is refused, and one that nobody sealed. */
export const unsealCursor = (cursor: string, caller: Owner, scope: readonly unknown[]): string => {
  const bytes = Buffer.from(cursor, 'base64url');
  const start = nonceBytes + tagBytes;
  if (bytes.toString('base64url') !== cursor || bytes.length <= start) throw foreignCursor();
  const decipher = createDecipheriv(cipherName, keyOf(caller, scope), bytes.subarray(0, nonceBytes));
  decipher.setAuthTag(bytes.subarray(nonceBytes, start));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(start)), decipher.final()]).toString();
  } catch {
    throw foreignCursor();
  }
};

const foreignCursor = (): ApiError => {
  const message = 'The query parameter cursor does not belong to this list. Start again without it.';
  return invalid([{ pointer: '', rule: 'cursor', message }]);
};
