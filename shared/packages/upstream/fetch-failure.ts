import { ApiError } from '../../errors.ts';
import type { FetchFailure } from '../../table/packages/upstream-fetches.ts';

/** The refusal for a fetch that failed, with what is left of a pause in whole seconds (RFC 9110 section 10.2.3). */
export const failedFetch = ({ code, detail, retryAt }: Pick<FetchFailure, 'code' | 'detail' | 'retryAt'>): ApiError => {
  const error = new ApiError(code, detail);
  if (retryAt === undefined) return error;
  const seconds = Math.max(1, Math.ceil((retryAt - Date.now()) / 1000));
  return Object.assign(error, { retryAt, headers: { 'Retry-After': `${seconds}` } });
};
