import { callService } from './service-calls.ts';

const callBudgetMilliseconds = 3_000;
const silenceMilliseconds = 1_000;

/**
 * Calls an operation of KMS with a key. Bytes are in base64. `request` aborts the call when the time of the request is over. Throws
 * SERVICE_UNAVAILABLE when KMS does not answer, throttles or fails.
 */
export const callKms = async (
  operation: string,
  keyId: string,
  fields: object,
  request?: AbortSignal,
): Promise<Readonly<Record<string, string | undefined>>> => {
  const budget = AbortSignal.timeout(callBudgetMilliseconds);
  const signal = request ? AbortSignal.any([request, budget]) : budget;
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `TrentService.${operation}` };
  const body = JSON.stringify({ KeyId: keyId, ...fields });
  const call = { service: 'kms', path: '/', headers, body, expected: 200, silenceMilliseconds } as const;
  return JSON.parse(await callService(call, signal)) as Readonly<Record<string, string | undefined>>;
};
