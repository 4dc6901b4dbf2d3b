import { createHmac, timingSafeEqual } from 'node:crypto';
import { invalid } from '../errors.ts';
import type { User } from '../table/users.ts';

const sealBytes = 16;

/**
 * The key is the version of the caller's password: 122 random bits that every request reads anyway and no answer shows. A
 * secret of the stack would cost every cold start another call.
 */
const sealOf = (position: string, { userId, passwordVersion }: User, scope: readonly unknown[]): Buffer =>
  createHmac('sha256', passwordVersion)
    .update(JSON.stringify([userId, scope, position]))
    .digest()
    .subarray(0, sealBytes);

/** Makes a cursor: a position that is sealed for one list and one caller. It ends when the caller's password changes. */
export const sealCursor = (position: string, caller: User, scope: readonly unknown[]): string =>
  Buffer.concat([sealOf(position, caller, scope), Buffer.from(position)]).toString('base64url');

/** The position in a cursor. A cursor of another list or of another caller is refused, and one that nobody sealed. */
export const unsealCursor = (cursor: string, caller: User, scope: readonly unknown[]): string => {
  const bytes = Buffer.from(cursor, 'base64url');
  const position = bytes.subarray(sealBytes).toString();
  const isCanonical = bytes.toString('base64url') === cursor && bytes.length > sealBytes;
  if (isCanonical && timingSafeEqual(bytes.subarray(0, sealBytes), sealOf(position, caller, scope))) return position;
  const message = 'The query parameter cursor does not belong to this list. Start again without it.';
  throw invalid([{ pointer: '', rule: 'cursor', message }]);
};
