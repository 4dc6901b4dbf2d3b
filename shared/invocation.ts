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

/** Longer than a cold start and the hash of a password. */
const answerMilliseconds = 15_000;

/** Invokes a version of a function, given as its ARN, and returns its answer. What it throws is the answer, too. */
export const invokeForAnswer = async (versionArn: string, event: object, signal: AbortSignal): Promise<unknown> => {
  const path = `/2015-03-31/functions/${encodeURIComponent(versionArn)}/invocations`;
  const headers = { 'content-type': 'application/json', 'x-amz-invocation-type': 'RequestResponse' };
  const call = { service: 'lambda', path, headers, body: JSON.stringify(event) } as const;
  const answer = await callService({ ...call, expected: 200, silenceMilliseconds: answerMilliseconds }, signal);
  return JSON.parse(answer);
};
