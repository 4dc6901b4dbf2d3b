import { setTimeout as wait } from 'node:timers/promises';
import { ApiError } from '../../errors.ts';

const pauseFirstMilliseconds = 100;
const pauseMaxMilliseconds = 1_000;

/** Looks again and again until something is found. Throws FILE_PENDING at the deadline, after a last look. */
export const untilFound = async <T>(
  look: () => Promise<T | undefined>,
  deadline: AbortSignal,
  refusal = new ApiError('FILE_PENDING'),
): Promise<T> => {
  for (let pause = pauseFirstMilliseconds; ; pause = Math.min(pauseMaxMilliseconds, 2 * pause)) {
    const isLast = deadline.aborted;
    const found = await look();
    if (found !== undefined) return found;
    if (isLast) throw refusal;
    await wait(pause, undefined, { signal: deadline }).catch(() => {});
  }
};
