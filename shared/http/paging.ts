import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { type ApiError, invalid } from '../errors.ts';
import type { User } from '../table/users.ts';

const cipherName = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/**
 * The key is the version of the caller's password: 122 random bits that every request reads anyway and no answer shows. A
 * secret of the stack would cost every cold start another call.
 */
const keyOf = ({ userId, passwordVersion }: User, scope: readonly unknown[]): Buffer =>
  createHmac('sha256', passwordVersion)
    .update(JSON.stringify([userId, scope]))
    .digest();

/**
 * Makes a cursor: a position that is encrypted for one list and one caller, because it can be the name of a repository that
 * the caller may not see. It ends when the caller's password changes.
 */
export const sealCursor = (position: string, caller: User, scope: readonly unknown[]): string => {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(cipherName, keyOf(caller, scope), nonce);
  const encrypted = Buffer.concat([cipher.update(position, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url');
};

/** The position in a cursor. A cursor of another list or of another caller is refused, and one that nobody sealed. */
export const unsealCursor = (cursor: string, caller: User, scope: readonly unknown[]): string => {
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
