import { ApiError } from '../../errors.ts';
import type { Source } from '../sources/sources.ts';

/** The maximum size of the indexes that one answer combines, before compression: a function has 1 GB, and each is in it several times. */
export const combinedBytesMax = 128_000_000;

/** An index of a source, as far as its size is known. */
export interface SizedIndex {
  readonly source: Source;
  /** Its size before compression. What an earlier release kept has none, and counts nothing. */
  readonly bytes: number;
}

/** The size of several indexes together. */
export const combinedBytes = (indexes: readonly SizedIndex[]): number =>
  indexes.reduce((sum, { bytes }) => sum + bytes, 0);

/**
 * Refuses to combine indexes that are too large together, before any of them is loaded. To leave out a source instead could let a
 * client resolve to another version. Throws LIST_TOO_LONG.
 */
export const requireCombinable = (indexes: readonly SizedIndex[]): void => {
  const bytes = combinedBytes(indexes);
  if (indexes.length < 2 || bytes <= combinedBytesMax) return;
  const largest = indexes.toSorted((one, other) => other.bytes - one.bytes).filter((each) => each.bytes > 0);
  const sizes = largest.slice(0, 10).map((each) => `'${each.source.name}' (${each.bytes})`);
  const others = largest.length > sizes.length ? ` and ${largest.length - sizes.length} others` : '';
  throw new ApiError(
    'LIST_TOO_LONG',
    `The indexes of ${sizes.join(', ')}${others} have ${bytes} bytes together, and one answer combines at most ${combinedBytesMax}. Delete versions that nobody needs from them, or give some of these repositories a virtual repository of their own.`,
  );
};
