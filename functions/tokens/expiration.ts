import { invalid } from '../../shared/errors.ts';
import type { Rule } from '../../shared/http/call.ts';
import type { Token } from '../../shared/table/tokens.ts';
import { createPersonalAccessToken } from './contracts.ts';

/** What follows the seconds in RFC 3339. A time without an offset would mean a different moment on each machine. */
const fractionAndOffset = /^(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/i;

/** An offset can move the last hours of the year 9999 into the year 10000, which RFC 3339 cannot express. */
const timeMax = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Date accepts more than RFC 3339 and turns 30 February into a day in March. A text that it returns unchanged is a valid
 * time.
 */
const timeOf = (text: string): number => {
  const toTheSecond = `${text.slice(0, 19).toUpperCase()}.000Z`;
  const isMoment = new Date(toTheSecond).toJSON() === toTheSecond && fractionAndOffset.test(text.slice(19));
  return isMoment ? Date.parse(text) : Number.NaN;
};

/** The expiration date must exist in the calendar and lie in the future. */
export const expirationRule: Rule<typeof createPersonalAccessToken> = ({ expirationDate }) => {
  if (typeof expirationDate !== 'string') return [];
  const time = timeOf(expirationDate);
  if (time > Date.now() && time <= timeMax) return [];
  const { allowed } = createPersonalAccessToken.request.body.properties.expirationDate;
  return [{ pointer: '/expirationDate', rule: 'future', message: `expirationDate must be ${allowed}.` }];
};

/**
 * The expiration date of a new token, in UTC. A token that was made with a token never outlives it: otherwise a token that
 * leaked for a minute could make one that lasts for ever.
 */
export const expirationOf = (requested: string | null, maker: Token | undefined): string | null => {
  const limit = maker?.expirationDate ?? null;
  if (requested === null) return limit;
  const expirationDate = new Date(requested).toISOString();
  if (limit === null || expirationDate <= limit) return expirationDate;
  const message = `expirationDate must be at most ${limit}, when the token of this request expires. Send your password for a token that lasts longer.`;
  throw invalid([{ pointer: '/expirationDate', rule: 'outlives', message }]);
};
