import { hash } from 'node:crypto';

/** The seconds between 1971 and 2021: a date must not be in the future. */
const [firstSecond, seconds] = [31_536_000, 1_577_836_800];

/**
 * A date that stands for an entity tag. A true time would not do: two revisions may be of one second, and those of several sources
 * have no order. Two tags have the same date once in 1.5 thousand million.
 */
export const dateOfTag = (etag: string): string => {
  const number = hash('sha256', etag, 'buffer').readUInt32BE();
  return new Date((firstSecond + (number % seconds)) * 1000).toUTCString();
};
