import type { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';

const throttles = new Set([
  'ProvisionedThroughputExceeded',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingError',
  'ThrottlingException',
]);
const conflicts = new Set(['TransactionConflict', 'TransactionConflictException', 'TransactionInProgressException']);

/** Whether the table cancelled a transaction. By its name, because the class would bring the SDK into bundles that only read. */
export const isCancelled = (error: unknown): error is TransactionCanceledException =>
  error instanceof Error && error.name === 'TransactionCanceledException';

/** Whether the condition of a single write failed. */
export const isConditionFailure = (error: unknown): error is ConditionalCheckFailedException =>
  error instanceof Error && error.name === 'ConditionalCheckFailedException';

/** Whether an error says what stood in the way of writes. */
export const isRefusal = (error: unknown): boolean => isCancelled(error) || isConditionFailure(error);

/** Whether the SDK takes a refusal for throttling, and sends the call again by itself. */
export const isThrottle = ({ name }: Error): boolean =>
  throttles.has(name) || name === 'TransactionInProgressException';

/** The reason why a call is worth another try; undefined if it is not. */
export const retryReason = (error: unknown): 'conflict' | 'throttle' | undefined => {
  if (!(error instanceof Error)) return undefined;
  const reasons = isCancelled(error) ? (error.CancellationReasons ?? []) : [];
  const codes = [error.name, ...reasons.map((reason) => reason.Code ?? '')];
  if (codes.some((code) => conflicts.has(code))) return 'conflict';
  return codes.some((code) => throttles.has(code)) ? 'throttle' : undefined;
};

/**
 * Whether a transaction has written nothing and never will: the table cancelled it, and it was sent only once. Of another try,
 * whose answer was lost, nobody knows when it ends.
 */
export const isSurelyUnwritten = (error: unknown): boolean => isCancelled(error) && error.$metadata.attempts === 1;
