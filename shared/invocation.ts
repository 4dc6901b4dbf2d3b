import { callService } from './service-calls.ts';

const silenceMilliseconds = 2_000;

/**
 * Invokes a function asynchronously. The function can run twice if a reply is lost. Throws SERVICE_UNAVAILABLE if Lambda
 * does not answer, throttles or fails.
 */
export const invokeAsynchronously = async (functionName: string, event: object, signal: AbortSignal): Promise<void> => {
  const path = `/2015-03-31/functions/${functionName}/invocations`;
  const headers = { 'content-type': 'application/json', 'x-amz-invocation-type': 'Event' };
  const body = JSON.stringify(event);
  await callService({ service: 'lambda', path, headers, body, expected: 202, silenceMilliseconds }, signal);
};
