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

/** Whether a text is a time of RFC 3339 that exists in the calendar and lies in the future. */
export const isFuture = (text: string): boolean => {
  const time = timeOf(text);
  return time > Date.now() && time <= timeMax;
};
