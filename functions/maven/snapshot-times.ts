import { ApiError } from '../../shared/errors.ts';
import type { FileAddress } from '../../shared/packages/sources/resolution.ts';
import { snapshotFileOf } from './snapshot-names.ts';

/** How far the clocks of builds may be ahead. */
const aheadMilliseconds = 24 * 60 * 60 * 1000;

/** A timestamp as `Date` writes it. */
const momentOf = (timestamp: string): string =>
  timestamp.replace(/^(....)(..)(..)\.(..)(..)(..)$/, '$1-$2-$3T$4:$5:$6.000Z');

/**
 * Refuses a file of a SNAPSHOT whose timestamp is no time, or is to come: clients would take it for the newest build until then. Throws
 * PACKAGE_INVALID.
 */
export const requireTimestamp = ({ name, version, file }: FileAddress): void => {
  const timestamp = snapshotFileOf(name, version, file)?.timestamp;
  if (timestamp === undefined) return;
  const moment = momentOf(timestamp);
  const time = new Date(moment);
  // Date turns 30 February into a day in March.
  if (time.toJSON() === moment && time.getTime() <= Date.now() + aheadMilliseconds) return;
  throw new ApiError(
    'PACKAGE_INVALID',
    `The timestamp of '${file}' must be a time in UTC such as 20260131.093000, at most a day ahead: set the clock of the build.`,
  );
};
