import { pauseBelow } from '../jitter.ts';
import type { Table } from './client.ts';

const pauseMaxMilliseconds = 1_600;

/**
 * Repeats a change that lost a race against another request, as long as the request has time. An attempt returns undefined if it lost.
 * Before the next one there is a random pause, at most as long as all of this took so far: the more requests change the same, and the
 * slower they are, the longer. So an attempt that is made again reads anew. Throws SERVICE_UNAVAILABLE when the time is over.
 */
export const untilSettled = async <T>(
  { signal }: Table,
  attempt: (isAgain: boolean) => Promise<T | undefined>,
): Promise<T> => {
  const startedAt = performance.now();
  for (let isAgain = false; ; isAgain = true) {
    const outcome = await attempt(isAgain);
    if (outcome !== undefined) return outcome;
    await pauseBelow(Math.min(pauseMaxMilliseconds, performance.now() - startedAt), signal);
  }
};
