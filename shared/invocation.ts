import { buffer } from 'node:stream/consumers';
import { ApiError } from './errors.ts';
import { isOutage } from './outages.ts';
import { postSigned } from './signed-requests.ts';

const silenceMaxMilliseconds = 2_000;
const attemptsMax = 2;

/** Lambda did not accept an event. The name is that of Lambda's error. */
class InvocationError extends Error {
  /** As the SDK tells whose fault an error is. */
  readonly $fault: 'client' | 'server';

  constructor(status: number, name: string, text: string) {
    super(text);
    this.name = name;
    this.$fault = status >= 500 || status === 429 ? 'server' : 'client';
  }
}

/**
 * Invokes a function asynchronously. The function can run twice if a reply is lost. Throws SERVICE_UNAVAILABLE if Lambda
 * does not answer, throttles or fails.
 */
export const invokeAsynchronously = async (functionName: string, event: object, signal: AbortSignal): Promise<void> => {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await send(functionName, JSON.stringify(event), signal);
    } catch (cause) {
      if (!isOutage(cause)) throw cause;
      if (attempt === attemptsMax || signal.aborted)
        throw new ApiError('SERVICE_UNAVAILABLE', undefined, [], { cause });
    }
};

const send = async (functionName: string, body: string, signal: AbortSignal): Promise<void> => {
  const path = `/2015-03-31/functions/${functionName}/invocations`;
  const headers = { 'content-type': 'application/json', 'x-amz-invocation-type': 'Event' };
  const answer = await postSigned({ service: 'lambda', path, headers, body }, silenceMaxMilliseconds, signal);
  const text = (await buffer(answer.body)).toString();
  if (answer.status === 202) return;
  const [name = ''] = String(answer.headers['x-amzn-errortype'] ?? 'UnknownError').split(':');
  throw new InvocationError(answer.status, name, text.slice(0, 500));
};
