import type { Rule } from '../../shared/http/endpoint.ts';
import type { createPersonalAccessToken } from './contracts.ts';

/** RFC 3339 section 5.6, with an offset: a local time would mean another moment on each machine. */
const dateTime = /^(\d{4}-\d{2}-\d{2})[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;

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
  if (time > Date.now()) return [];
  const message =
    'expirationDate must be a future RFC 3339 date and time such as 2030-01-31T09:30:00Z, or null: never expires.';
  return [{ pointer: '/expirationDate', rule: 'future', message }];
};
