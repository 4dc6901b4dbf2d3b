import { createHash } from 'node:crypto';
import { invalid } from '../errors.ts';

const digestBytes = 12;

const digest = (scope: readonly unknown[]): Buffer =>
  createHash('sha256').update(JSON.stringify(scope)).digest().subarray(0, digestBytes);

/** Makes a cursor: a position that is bound to one list and one caller. It grants nothing, so it is not secret. */
export const sealCursor = (position: string, scope: readonly unknown[]): string =>
  Buffer.concat([digest(scope), Buffer.from(position)]).toString('base64url');

/** The position in a cursor. A cursor of another list or of another caller is refused. */
export const unsealCursor = (cursor: string, scope: readonly unknown[]): string => {
  const bytes = Buffer.from(cursor, 'base64url');
  const isCanonical = bytes.toString('base64url') === cursor;
  if (isCanonical && bytes.length > digestBytes && bytes.subarray(0, digestBytes).equals(digest(scope)))
    return bytes.subarray(digestBytes).toString();
  const message = 'The query parameter cursor does not belong to this list. Start again without it.';
  throw invalid([{ pointer: '', rule: 'cursor', message }]);
};
