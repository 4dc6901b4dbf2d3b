import { ApiError } from '../errors.ts';

/** The maximum number of attempts of a change. Each lost attempt means that another request was faster. */
const attemptsMax = 8;

/**
 * Repeats a change that lost a race against another request. An attempt returns undefined if it lost. Throws
 * SERVICE_UNAVAILABLE if all attempts lose.
 */
export const untilSettled = async <T>(attempt: () => Promise<T | undefined>): Promise<T> => {
  for (let attempts = 0; attempts < attemptsMax; attempts += 1) {
    const outcome = await attempt();
    if (outcome !== undefined) return outcome;
  }
  throw new ApiError('SERVICE_UNAVAILABLE');
};
