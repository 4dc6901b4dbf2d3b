import { ApiError } from '../../shared/errors.ts';
import { FormatProblem } from './format-problem.ts';

/** Turns the problem of a body into the refusal of the request. */
export const refusing = <T>(parse: () => T): T => {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof FormatProblem)) throw error;
    throw error.code === 'malformed'
      ? new ApiError('BODY_MALFORMED', error.message)
      : new ApiError('PACKAGE_INVALID', error.message, error.violations);
  }
};
