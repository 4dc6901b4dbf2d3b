import { setTimeout as pause } from 'node:timers/promises';

const firstMilliseconds = 20;
const mostMilliseconds = 200;

/**
 * Looks again and again until the work is done; answers with what the work did. Often at first, and then often enough: the more of
 * the machine those who look take, the less there is to see.
 */
export const lookingOn = async <T>(look: () => Promise<void>, work: Promise<T>): Promise<T> => {
  const over = new AbortController();
  const looking = (async () => {
    for (let wait = firstMilliseconds; !over.signal.aborted; wait = Math.min(2 * wait, mostMilliseconds)) {
      await look();
      await pause(wait);
    }
  })();
  try {
    return await work;
  } finally {
    over.abort();
    await looking;
  }
};
