import { log } from './log.ts';

/** Waits for work that refuses nobody: logs its failure and goes on. */
export const bestEffort = async (work: Promise<unknown>): Promise<void> => {
  try {
    await work;
  } catch (error) {
    log.bestEffortFailure(error);
  }
};
