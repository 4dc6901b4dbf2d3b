import { setTimeout as pause } from 'node:timers/promises';
import { unavailable } from './errors.ts';

/** Waits a random time below a limit (full jitter). Throws SERVICE_UNAVAILABLE if the signal aborts first. */
export const pauseBelow = async (milliseconds: number, signal: AbortSignal): Promise<void> => {
  try {
    await pause(Math.random() * milliseconds, undefined, { signal });
  } catch (error) {
    throw unavailable(error);
  }
};
