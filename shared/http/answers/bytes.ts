import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Responder } from '../built-contract.ts';
import { type AnswerKind, successStatuses } from '../contract.ts';
import type { DescribedResponse, Json } from '../documenter.ts';
import { isUnchanged } from '../etags.ts';
import { headerOf } from '../input.ts';
import type { BytesResult } from '../payloads.ts';
import { bytesResponse } from '../response.ts';

/** Whether a browser may show an answer instead of saving it: the pages with links, whose bytes are all ours. */
const isPage = (mediaType: string): boolean => mediaType.startsWith('text/html');

/** Responds with all bytes, with a range of them, or with none if the client has them already. */
export const respond: Responder = ({ event, requestId }, outcome) => {
  const { status = 200, mediaType, content = '', etag, lastModified, beyondEnd, headers = {} } = outcome as BytesResult;
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const make = (code: number, body: Uint8Array, extra: Record<string, string> = {}): APIGatewayProxyResult =>
    bytesResponse(code, requestId, mediaType, body, {
      ...(code < 300 && body.length > 0 && !isPage(mediaType) && { 'Content-Disposition': 'attachment' }),
      ...headers,
      ...(etag && { ETag: etag }),
      ...(lastModified && { 'Last-Modified': lastModified }),
      ...extra,
    });
  if (status !== 200 || etag === undefined) return make(status, bytes);
  if (isUnchanged({ etag, lastModified }, (name) => headerOf(event, name))) return make(304, new Uint8Array());
  const ranges = { 'Accept-Ranges': 'bytes' };
  // RFC 9110 section 14.2: a range is of the answer to GET alone.
  const range =
    event.httpMethod === 'GET' && isCurrent(event, etag) ? rangeOf(headerOf(event, 'range'), bytes.length) : undefined;
  if (range === undefined || (range === 'unsatisfiable' && beyondEnd)) return make(200, bytes, ranges);
  if (range === 'unsatisfiable')
    return make(416, new Uint8Array(), { ...ranges, 'Content-Range': `bytes */${bytes.length}` });
  const [first, last] = range;
  const contentRange = `bytes ${first}-${last}/${bytes.length}`;
  return make(206, bytes.subarray(first, last + 1), { ...ranges, 'Content-Range': contentRange });
};

/** Whether a range would come from the version that the client has the rest of (RFC 9110 section 13.1.5). */
const isCurrent = (event: APIGatewayProxyEvent, etag: string): boolean => {
  const ifRange = headerOf(event, 'if-range');
  return ifRange === undefined || ifRange.trim() === etag;
};

/** A single range of bytes (RFC 9110 section 14.1.2), with both ends. Any other value is ignored. */
const rangeOf = (
  header: string | undefined,
  length: number,
): readonly [number, number] | 'unsatisfiable' | undefined => {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  const first = from === '' ? Math.max(0, length - Number(to)) : Number(from);
  const last = from === '' || to === '' ? length - 1 : Math.min(Number(to), length - 1);
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  return first < length ? [first, last] : 'unsatisfiable';
};

/** The additional headers of answers for packages: where an answer comes from, whether it is stale or compressed, or is to be saved. */
export const packageHeaders = [
  'X-Stockroom-Origin',
  'X-Stockroom-Cache',
  'X-Stockroom-Gate',
  'X-Stockroom-Published',
  'Warning',
  'Content-Encoding',
  'Content-Disposition',
  'Vary',
] as const;

/** The content in the OpenAPI document. Clients of the package type know the form of its documents, so no schema describes it. */
const contentOf = (mediaType: string): Json =>
  mediaType.endsWith('json')
    ? { schema: { type: ['object', 'array'] }, example: {} }
    : { schema: { type: 'string', contentMediaType: mediaType }, example: 'bytes' };

/** What the statuses say that every answer of their kind means. */
const meanings: Readonly<Record<number, string>> = {
  201: 'The resource was created.',
  202: 'The request was carried out, or what it began goes on at `Location`.',
  204: 'The request was carried out. There is no content.',
};

/** The responses in the OpenAPI document. */
export const describe = (answer: Extract<AnswerKind, { kind: 'bytes' }>): Record<number, DescribedResponse> => {
  const own = answer.headers ?? [];
  // What is there already needs no address of its own.
  const ofContent = own.filter((name) => name !== 'Location');
  const content = Object.fromEntries(answer.mediaTypes.map((mediaType) => [mediaType, contentOf(mediaType)]));
  const statuses = successStatuses(answer);
  const responses: Record<number, DescribedResponse> = Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: meanings[status] ?? answer.description,
        headers: [...packageHeaders, ...(status === 200 ? ofContent : own), 'ETag', 'Accept-Ranges'],
        // RFC 9110 section 15.3.5: a 204 never has any.
        ...(status !== 204 && { content }),
      },
    ]),
  );
  if (!statuses.includes(200)) return responses;
  const headers = [...packageHeaders, ...ofContent, 'ETag', 'Accept-Ranges', 'Content-Range'];
  return {
    ...responses,
    206: { description: 'The requested range.', headers, content },
    304: { description: 'The client has these bytes already.', headers: [...packageHeaders, ...ofContent, 'ETag'] },
    416: { description: 'The requested range does not exist.', headers },
  };
};
