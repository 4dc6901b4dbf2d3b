import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Longer than the pauses of an installation in what a thread has to do. */
const idleMilliseconds = 45_000;

/**
 * Gives back the memory of this thread when it has had nothing to do for a while: V8 would keep a heap that grew, because nothing
 * makes it collect garbage while nothing is allocated. What the C library would keep of it, the variables of `npm start` make it give back
 * (mallopt(3)). Returns what says that there is something to do.
 */
export const releaseMemoryWhenIdle = (): (() => void) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  const timer = setTimeout(
    () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
    idleMilliseconds,
  ).unref();
  return () => void timer.refresh();
};
