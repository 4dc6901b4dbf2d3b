import { setImmediate as turn } from 'node:timers/promises';
import { log } from '../../observability/log.ts';

/** What is written beside the answers of this process. */
const settling = new Set<Promise<void>>();

/** Waits until everything is written that answers have left: Lambda freezes the process between two requests. */
export const settled = async (): Promise<void> => {
  // A body that was given up closes in the next turn of the event loop.
  await turn();
  await Promise.all(settling);
};

/** Best effort: a failure of the table must not fail the request, too. */
export const settle = async (work: () => Promise<void>): Promise<void> => {
  const done: Promise<void> = work()
    .catch((error: unknown) => log.bestEffortFailure(error))
    .finally(() => settling.delete(done));
  settling.add(done);
  return done;
};
