import { hash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { type ApiError, storageFull, unavailable } from '../errors.ts';
import { pauseBelow } from '../jitter.ts';
import { isOutage } from '../outages.ts';
import { type PlainAnswer, sendSigned } from '../signed-requests.ts';
import { type StoreCall, signed } from './signatures.ts';

const attemptsMax = 4;
const pauseFirstMilliseconds = 50;
const silenceMaxMilliseconds = 5_000;

/** The answer of a store on a disk without room (RFC 4918, section 11.5). S3 itself never gives it. */
const statusFull = 507;

/** SERVICE_UNAVAILABLE because of the status that the store answered. */
export const failureOf = (status: number, text: string): ApiError =>
  (status === statusFull ? storageFull : unavailable)(new StoreError(text));

/** S3 refused a call that should be correct: the code has a defect, or the function lacks a right. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/** The hash of no bytes. */
const emptySha256 = hash('sha256', '');

/** Whether an answer is worth another try: a failure of S3, throttling, or a conflict of conditional writes. */
const isTransient = ({ status }: PlainAnswer): boolean => status >= 500 || status === 409 || status === 429;

/**
 * Calls S3, and repeats the call if that can help: every call of the functions is safe to repeat. Throws
 * SERVICE_UNAVAILABLE if S3 does not answer, and a StoreError for an unexpected status.
 */
export const callStore = async (
  call: StoreCall,
  expected: readonly number[],
  signal: AbortSignal,
  body?: Uint8Array,
): Promise<PlainAnswer> => {
  const bodySha256 = body ? hash('sha256', body) : emptySha256;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await attempted(call, body, bodySha256, signal);
    if ('status' in outcome && expected.includes(outcome.status)) return outcome;
    const isOver = attempt === attemptsMax || signal.aborted;
    if ('status' in outcome) {
      const text = (await buffer(outcome.body)).toString().slice(0, 500);
      if (!isTransient(outcome)) throw new StoreError(`S3 answered ${outcome.status} to ${call.method}: ${text}`);
      if (isOver || outcome.status === statusFull)
        throw failureOf(outcome.status, `S3 answered ${outcome.status} again and again: ${text}`);
    } else if (isOver) throw unavailable(outcome.error);
    // The limit doubles with each attempt.
    await pauseBelow(pauseFirstMilliseconds * 2 ** (attempt - 1), signal);
  }
};

const attempted = async (
  call: StoreCall,
  body: Uint8Array | undefined,
  bodySha256: string,
  signal: AbortSignal,
): Promise<PlainAnswer | { readonly error: unknown }> => {
  try {
    const silenceMilliseconds = call.silenceMilliseconds ?? silenceMaxMilliseconds;
    return await sendSigned(await signed(call, bodySha256), body, { silenceMilliseconds }, signal);
  } catch (error) {
    if (!isOutage(error)) throw error;
    return { error };
  }
};
