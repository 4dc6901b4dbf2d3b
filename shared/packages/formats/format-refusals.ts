import { ApiError } from '../../errors.ts';
import { FormatProblem } from './format-problem.ts';

/** The refusal for a problem of a document or of a file of a package. Any other error is returned unchanged. */
const refusalOf = (error: unknown): unknown => {
  if (!(error instanceof FormatProblem)) return error;
  return error.code === 'malformed'
    ? new ApiError('BODY_MALFORMED', error.message)
    : new ApiError('PACKAGE_INVALID', error.message, error.violations);
};

/** Turns the problem of what a request sent into its refusal. */
export const refusing = <T>(read: () => T): T => {
  try {
    return read();
  } catch (error) {
    throw refusalOf(error);
  }
};

/** The same for what is read as a stream. */
export const refusingAsync = async <T>(read: () => Promise<T>): Promise<T> => {
  try {
    return await read();
  } catch (error) {
    throw refusalOf(error);
  }
};
