import { userKey } from '../keys.ts';
import type { Update } from '../writes.ts';
import type { User } from './users.ts';

/** How many changes of the access of a user have been counted. */
export const accessVersionOf = ({ accessVersion = 0 }: Pick<User, 'accessVersion'>): number => accessVersion;

/**
 * Counts the access version of a user, in the transaction that changes one of its tokens, memberships or grants: so a reader of the user
 * sees whether it knows them still. What is in the item of the user needs no count.
 */
export const accessChanged = (username: string): Update => ({
  update: userKey(username),
  set: 'ADD #accessVersion :one',
  if: 'attribute_exists(pk)',
  values: { ':one': 1 },
});
