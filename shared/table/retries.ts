import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';

const throttles = new Set([
  'ProvisionedThroughputExceeded',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingError',
  'ThrottlingException',
]);
const conflicts = new Set(['TransactionConflict', 'TransactionConflictException', 'TransactionInProgressException']);

/** Whether the table refused a call because there were too many. */
export const isThrottle = ({ name }: Error): boolean => throttles.has(name);

/** The reason why a call is worth another try; undefined if it is not. */
export const retryReason = (error: unknown): 'conflict' | 'throttle' | undefined => {
  if (!(error instanceof Error)) return undefined;
  const reasons = error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
  const codes = [error.name, ...reasons.map((reason) => reason.Code ?? '')];
  if (codes.some((code) => conflicts.has(code))) return 'conflict';
  return codes.some((code) => throttles.has(code)) ? 'throttle' : undefined;
};

/**
 * Whether a transaction has written nothing and never will: the table cancelled it, and it was sent only once. Of another try,
 * whose answer was lost, nobody knows when it ends.
 */
export const isSurelyUnwritten = (error: unknown): boolean =>
  error instanceof TransactionCanceledException && error.$metadata.attempts === 1;
