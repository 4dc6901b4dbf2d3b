import { ApiError } from '../../errors.ts';
import { FormatProblem } from './format-problem.ts';

/** The refusal for a problem of a document or of a file of a package. Any other error is returned unchanged. */
export const refusalOf = (error: unknown): unknown => {
  if (!(error instanceof FormatProblem)) return error;
  return error.code === 'malformed'
    ? new ApiError('BODY_MALFORMED', error.message)
    : new ApiError('PACKAGE_INVALID', error.message, error.violations);
};

/** Turns the problem of a body into the refusal of the request. */
export const refusing = <T>(parse: () => T): T => {
  try {
    return parse();
  } catch (error) {
    throw refusalOf(error);
  }
};
