import type { Rule } from '../../shared/http/call.ts';
import type { createPersonalAccessToken } from './contracts.ts';

/** RFC 3339 section 5.6, with an offset: a local time would mean another moment on each machine. */
const dateTime =
  /^(\d{4}-\d{2}-\d{2})[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** An offset can lift the last hours of the year 9999 into a year that RFC 3339 cannot write. */
const timeMax = Date.parse('9999-12-31T23:59:59.999Z');

/** Whether the day exists: Date rolls 30 February over to March. */
const isCalendarDay = (day: string): boolean => {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
};

/** The expiration date must be a moment of the calendar, and still to come. */
export const expirationRule: Rule<typeof createPersonalAccessToken> = ({ expirationDate }) => {
  if (typeof expirationDate !== 'string') return [];
  const [, day] = dateTime.exec(expirationDate) ?? [];
  const time = day && isCalendarDay(day) ? Date.parse(expirationDate.toUpperCase()) : Number.NaN;
  if (time > Date.now() && time <= timeMax) return [];
  const message =
    'expirationDate must be a future RFC 3339 date and time such as 2030-01-31T09:30:00Z, or null: never expires.';
  return [{ pointer: '/expirationDate', rule: 'future', message }];
};
