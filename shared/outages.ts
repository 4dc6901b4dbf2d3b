/**
 * Whether a call to AWS failed because AWS did not answer it: a time-out, a failed connection or a 5xx. Any other
 * failure is a defect of this code.
 */
export const isOutage = (error: unknown): boolean => {
  if (!Error.isError(error)) return false;
  if ('$fault' in error) return error.$fault === 'server';
  return error.name === 'AbortError' || error.name === 'TimeoutError' || 'code' in error;
};
