import { ApiError } from '../errors.ts';

/** Attempts of a change that keeps losing: each lost one means that another request went ahead. */
const attemptsMax = 8;

/**
 * Repeats a change that lost a race against another one, on what the other left behind. An attempt returns undefined when
 * it lost. Throws SERVICE_UNAVAILABLE when it loses again and again.
 */
export const untilSettled = async <T>(attempt: () => Promise<T | undefined>): Promise<T> => {
  for (let attempts = 0; attempts < attemptsMax; attempts += 1) {
    const outcome = await attempt();
    if (outcome !== undefined) return outcome;
  }
  throw new ApiError('SERVICE_UNAVAILABLE');
};
