import type { Rule } from '../../shared/http/call.ts';
import { createPersonalAccessToken } from './contracts.ts';

/** What follows the seconds in RFC 3339; without an offset a time would mean another moment on each machine. */
const fractionAndOffset = /^(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/i;

/** An offset can lift the last hours of the year 9999 into a year that RFC 3339 cannot write. */
const timeMax = Date.parse('9999-12-31T23:59:59.999Z');

/** Date reads more than RFC 3339 and rolls 30 February over to March: what it writes back unchanged is a moment. */
const timeOf = (text: string): number => {
  const toTheSecond = `${text.slice(0, 19).toUpperCase()}.000Z`;
  const isMoment = new Date(toTheSecond).toJSON() === toTheSecond && fractionAndOffset.test(text.slice(19));
  return isMoment ? Date.parse(text) : Number.NaN;
};

/** The expiration date must be a moment of the calendar, and still to come. */
export const expirationRule: Rule<typeof createPersonalAccessToken> = ({ expirationDate }) => {
  if (typeof expirationDate !== 'string') return [];
  const time = timeOf(expirationDate);
  if (time > Date.now() && time <= timeMax) return [];
  const { allowed } = createPersonalAccessToken.request.body.properties.expirationDate;
  return [{ pointer: '/expirationDate', rule: 'future', message: `expirationDate must be ${allowed}.` }];
};
