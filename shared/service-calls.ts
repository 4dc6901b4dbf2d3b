import type { IncomingHttpHeaders } from 'node:http';
import { unavailable } from './errors.ts';
import { isOutage } from './outages.ts';
import { postSigned, type ServicePost, textOf } from './signed-requests.ts';

const attemptsMax = 2;

/** A service of AWS refused a call or failed. The name is that of the service's own error. */
export class ServiceError extends Error {
  /** As the SDK tells whose fault an error is. */
  readonly $fault: 'client' | 'server';
  /** The whole answer. It may have parts of items, so it is no part of what is logged. */
  readonly body: () => string;

  constructor(status: number, name: string, text: string) {
    super(text.slice(0, 500));
    this.name = name;
    this.body = () => text;
    this.$fault = status >= 500 || status === 429 || name === 'ThrottlingException' ? 'server' : 'client';
  }
}

/** A call that is safe to repeat. */
export interface ServiceCall extends ServicePost {
  /** The status of a successful answer. */
  readonly expected: number;
}

/**
 * Calls a service of AWS, and repeats the call once if that can help. Returns the body of the answer. Throws
 * SERVICE_UNAVAILABLE if the service does not answer, throttles or fails.
 */
export const callService = async (call: ServiceCall, signal: AbortSignal): Promise<string> => {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await callOnce(call, signal);
    } catch (cause) {
      if (!isOutage(cause)) throw cause;
      if (attempt === attemptsMax || signal.aborted) throw unavailable(cause);
    }
};

/** Calls a service once. Throws an error with the service's own name, or that of a connection that failed. */
export const callOnce = async ({ expected, ...post }: ServiceCall, signal: AbortSignal): Promise<string> => {
  const { status, headers, body } = await postSigned(post, signal);
  const text = await textOf(body);
  if (status === expected) return text;
  throw new ServiceError(status, errorName(headers, text), text);
};

/** The REST protocol of AWS names an error in a header, and its JSON protocol in the body, with a namespace. */
const errorName = (headers: IncomingHttpHeaders, text: string): string => {
  const named = headers['x-amzn-errortype'] ?? /"__type"\s*:\s*"([^"]+)"/.exec(text)?.[1] ?? 'UnknownError';
  return /[^#:]+(?=:|$)/.exec(String(named))?.[0] ?? 'UnknownError';
};
