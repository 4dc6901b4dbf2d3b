import { invalid } from '../errors.ts';

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

/** Whether a text is a time of RFC 3339 that exists in the calendar. */
export const isTime = (text: string): boolean => timeOf(text) <= timeMax;

/** Times of a query in milliseconds since the epoch, where it has them. Throws REQUEST_INVALID for all that are none. */
export const timesInQuery = <Name extends string>(
  query: Readonly<Partial<Record<Name, string>>>,
  names: readonly Name[],
): Partial<Record<Name, number>> => {
  const sent = names.flatMap((name): [Name, string][] => (query[name] === undefined ? [] : [[name, query[name]]]));
  const none = sent.filter(([, text]) => !isTime(text));
  if (none.length > 0)
    throw invalid(
      none.map(([name]) => ({
        pointer: '',
        rule: 'date-time',
        message: `The query parameter ${name} must be an RFC 3339 date and time such as 2026-01-31T09:30:00Z.`,
      })),
    );
  return Object.fromEntries(sent.map(([name, text]) => [name, timeOf(text)])) as Partial<Record<Name, number>>;
};

/** Whether a text is a time of RFC 3339 that exists in the calendar and lies in the future. */
export const isFuture = (text: string): boolean => isTime(text) && timeOf(text) > Date.now();
