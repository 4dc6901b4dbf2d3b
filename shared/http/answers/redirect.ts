import type { Responder } from '../built-contract.ts';
import type { AnswerKind } from '../contract.ts';
import type { DescribedResponse } from '../documenter.ts';
import type { RedirectResult } from '../payloads.ts';
import { textResponse } from '../response.ts';

/**
 * Sends the client to a place that serves the bytes itself. The URL is absolute: gem fails on a relative one, and composer
 * loses its credential.
 */
export const respond: Responder = ({ requestId }, outcome) => {
  const { location, headers } = outcome as RedirectResult;
  return textResponse(302, requestId, 'text/plain; charset=utf-8', '', { ...headers, Location: location });
};

/** The responses in the OpenAPI document. */
export const describe = (answer: Extract<AnswerKind, { kind: 'redirect' }>): Record<number, DescribedResponse> => ({
  302: {
    description: answer.description,
    headers: ['X-Stockroom-Origin', 'X-Stockroom-Cache', 'Warning', ...(answer.headers ?? []), 'Location'],
    content: { 'text/plain; charset=utf-8': { schema: { type: 'string' }, example: '' } },
  },
});
