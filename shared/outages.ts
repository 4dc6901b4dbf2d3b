/**
 * Whether a call to AWS failed because the other side did not answer: time-outs, connections that fail, its own 5xx. All
 * else is a defect of ours.
 */
export const isOutage = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  if ('$fault' in error) return error.$fault === 'server';
  return error.name === 'AbortError' || error.name === 'TimeoutError' || 'code' in error;
};
