import { gunzipSync } from 'node:zlib';
import type { Responder } from '../built-contract.ts';
import type { AnswerKind } from '../contract.ts';
import type { DescribedResponse } from '../documenter.ts';
import { acceptsGzip } from '../encodings.ts';
import { headerOf } from '../input.ts';
import { bytesResponse } from '../response.ts';

type FileAnswer = Extract<AnswerKind, { kind: 'file' }>;

/**
 * Responds with a file that the build made. It is compressed if the client accepts that or, as RFC 9110 section 12.5.3 allows,
 * in any case.
 */
export const respond: Responder = ({ contract: { answer }, event, requestId }, outcome) => {
  const { mediaType, headers, isAlwaysCompressed } = answer as FileAnswer;
  const gzipped = outcome as Uint8Array;
  const isGzip = isAlwaysCompressed ?? acceptsGzip(headerOf(event, 'accept-encoding'));
  const encoding = { Vary: 'Accept-Encoding', ...(isGzip && { 'Content-Encoding': 'gzip' }) };
  return bytesResponse(200, requestId, mediaType, isGzip ? gzipped : gunzipSync(gzipped), { ...headers, ...encoding });
};

/** The responses in the OpenAPI document. */
export const describe = (answer: FileAnswer): Record<number, DescribedResponse> => ({
  200: {
    description: 'The file.',
    headers: ['Content-Encoding', 'Vary', ...Object.keys(answer.headers ?? {})],
    content: {
      [answer.mediaType]: {
        schema: {
          type: answer.mediaType === 'application/json' ? 'object' : 'string',
          description: answer.description,
        },
        example: answer.example,
      },
    },
  },
});
