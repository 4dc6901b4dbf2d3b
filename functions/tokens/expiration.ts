import { invalid, type Violation } from '../../shared/errors.ts';
import { isFuture } from '../../shared/http/times.ts';
import type { Token } from '../../shared/table/identity/tokens.ts';
import { newExpirationDate } from './schemas.ts';

/** The expiration date must exist in the calendar and lie in the future. */
export const expirationRule = ({
  expirationDate,
}: {
  readonly expirationDate?: string | null | undefined;
}): readonly Violation[] => {
  if (typeof expirationDate !== 'string') return [];
  if (isFuture(expirationDate)) return [];
  const message = `expirationDate must be ${newExpirationDate.allowed}.`;
  return [{ pointer: '/expirationDate', rule: 'future', message }];
};

const limitOf = (maker: Token | undefined): string | null =>
  maker && maker.kind !== 'session' ? maker.expirationDate : null;

/**
 * The expiration date of a new token, in UTC. A token that was made with a token never outlives it: otherwise a token that
 * leaked for a minute could make one that lasts for ever. That of a session can make one only minutes after the password was sent.
 */
export const expirationOf = (requested: string | null, maker: Token | undefined): string | null => {
  const limit = limitOf(maker);
  if (requested === null) return limit;
  const expirationDate = new Date(requested).toISOString();
  if (limit === null || expirationDate <= limit) return expirationDate;
  const message = `expirationDate must be at most ${limit}, when the token of this request expires. Send your password for a token that lasts longer.`;
  throw invalid([{ pointer: '/expirationDate', rule: 'outlives', message }]);
};

/**
 * The expiration date of the token that takes the place of another: that of the other one if none was requested, as far as the
 * token of the request lasts.
 */
export const expirationOfRotation = (
  requested: string | null | undefined,
  old: Token,
  maker: Token | undefined,
): string | null => {
  if (requested !== undefined) return expirationOf(requested, maker);
  const [earliest = null] = [old.expirationDate, limitOf(maker)].filter((date) => date !== null).toSorted();
  return earliest;
};
