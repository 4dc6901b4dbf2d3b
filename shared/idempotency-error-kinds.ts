import type { ErrorKind } from './error-kind.ts';

/** The errors of requests with an Idempotency-Key. */
export const idempotencyErrorKinds = {
  IDEMPOTENCY_KEY_SPENT: {
    status: 409,
    title: 'Idempotency key spent',
    detail:
      'An earlier request with this Idempotency-Key created what was deleted since. To create it again, send a new key.',
    advice:
      'This request was answered before, and what it created was deleted since. To create it again, send a new `Idempotency-Key`.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    title: 'Idempotency key reused',
    detail: 'You sent this Idempotency-Key within the last 24 hours with another request. Send a new key.',
    advice:
      'An `Idempotency-Key` belongs to one request: the same caller, the same path and the same body. Send a new key with each new request, such as a random UUID.',
  },
} as const satisfies Record<string, ErrorKind>;
