import { config } from '../../config.ts';
import { ApiError } from '../../errors.ts';
import type { Table } from '../client.ts';
import { passwordChecksKey } from '../keys.ts';

/**
 * A hash takes up to 0.1 s of a function, so these keep at most 25 of the authorizer's slots, wherever the passwords come
 * from. The other slots stay for tokens.
 */
const checksPerSecondMax = 250;

/** The items are useless after their second, but a clock may be wrong. */
const lifetimeSeconds = 600;

/** Begins the check of a password. Throws SERVICE_UNAVAILABLE if the whole service has begun too many in this second. */
export const beginPasswordCheck = async (table: Table): Promise<void> => {
  // A read-only service writes nothing, so it has no such limit.
  if (config.isReadOnly) return;
  const now = Math.floor(Date.now() / 1000);
  const outcome = await table.update({
    update: passwordChecksKey(now),
    set: 'SET #expiresAt = :expiresAt ADD #count :one',
    if: 'attribute_not_exists(pk) OR #count < :max',
    values: { ':expiresAt': now + lifetimeSeconds, ':one': 1, ':max': checksPerSecondMax },
  });
  if ('refused' in outcome) throw new ApiError('SERVICE_UNAVAILABLE');
};
