import type { Responder } from '../built-contract.ts';
import type { AnswerKind } from '../contract.ts';
import type { DescribedResponse } from '../documenter.ts';
import { isInIfNoneMatch } from '../etags.ts';
import { headerOf } from '../input.ts';
import type { RedirectResult } from '../payloads.ts';
import { textResponse } from '../response.ts';

/**
 * Sends the client to a place that serves the bytes itself. The URL is absolute: gem fails on a relative one, and composer
 * loses its credential.
 */
export const respond: Responder = ({ event, requestId }, outcome) => {
  const { location, etag, headers } = outcome as RedirectResult;
  const has = etag !== undefined && isInIfNoneMatch(etag, headerOf(event, 'if-none-match'));
  return textResponse(has ? 304 : 302, requestId, 'text/plain; charset=utf-8', '', {
    ...headers,
    ...(etag !== undefined && { ETag: etag }),
    ...(!has && { Location: location }),
  });
};

/** The responses in the OpenAPI document. */
export const describe = (answer: Extract<AnswerKind, { kind: 'redirect' }>): Record<number, DescribedResponse> => {
  const headers = [
    'X-Stockroom-Origin',
    'X-Stockroom-Cache',
    'X-Stockroom-Gate',
    'X-Stockroom-Published',
    'Warning',
    ...(answer.headers ?? []),
    'ETag',
  ];
  return {
    302: {
      description: answer.description,
      headers: [...headers, 'Location'],
      content: { 'text/plain; charset=utf-8': { schema: { type: 'string' }, example: '' } },
    },
    304: { description: 'The client has these bytes already.', headers },
  };
};
