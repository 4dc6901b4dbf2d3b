import { gunzipSync } from 'node:zlib';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { ApiError, errors } from '../errors.ts';
import type { PageRequest } from '../table/lists.ts';
import type { Contract, FileResult } from './contract.ts';
import { type List, sealCursor } from './paging.ts';
import { problem, problemMediaType, responseHeaders } from './problem.ts';
import { headerOf } from './request.ts';

const respond = (
  statusCode: number,
  requestId: string,
  mediaType: string,
  body: string,
  headers: Record<string, string> = {},
): APIGatewayProxyResult => ({
  statusCode,
  headers: {
    'Content-Type': mediaType,
    'X-Request-Id': requestId,
    ...responseHeaders,
    ...headers,
  },
  body,
});

/** The path under which the whole API is served, such as `/prod`: what stands before the resource in the request's path. */
const basePath = ({ resource, requestContext }: APIGatewayProxyEvent): string => {
  const depth = resource.split('/').length;
  const segments = requestContext.path.split('/');
  return segments.slice(0, segments.length - depth + 1).join('/');
};

const locationOf = (contract: Contract, event: APIGatewayProxyEvent, result: Record<string, unknown>) =>
  contract.location &&
  basePath(event) + contract.location.replaceAll(/\{(\w+)\}/g, (_, field: string) => String(result[field]));

/** What the response is an answer to; `scope` binds the cursors of a list to it and to the caller. */
interface Answered {
  readonly event: APIGatewayProxyEvent;
  readonly requestId: string;
  readonly page: PageRequest;
  readonly scope: readonly unknown[];
}

/** The response of a use case that succeeded. */
export const successResponse = (contract: Contract, answered: Answered, answer: unknown): APIGatewayProxyResult => {
  if (contract.file) return fileResponse(contract.file, answered, answer as Uint8Array);
  if (contract.paged) return listResponse(answered, answer as List<unknown>);
  const { event, requestId } = answered;
  const { status, result } =
    typeof contract.success === 'number'
      ? { status: contract.success, result: answer }
      : (answer as { status: number; result: unknown });
  const location = status === 201 ? locationOf(contract, event, result as Record<string, unknown>) : undefined;
  return respond(status, requestId, 'application/json', JSON.stringify(result), location ? { Location: location } : {});
};

const acceptsGzip = (event: APIGatewayProxyEvent): boolean =>
  (headerOf(event, 'accept-encoding') ?? '')
    .split(',')
    .some((coding) => /^\s*(gzip|\*)\s*(;|$)/i.test(coding) && !/;\s*q=0(\.0*)?\s*$/i.test(coding));

const fileResponse = (
  { mediaType, headers }: FileResult,
  { event, requestId }: Answered,
  gzipped: Uint8Array,
): APIGatewayProxyResult => {
  const isGzip = acceptsGzip(event);
  const body = Buffer.from(isGzip ? gzipped : gunzipSync(gzipped)).toString('base64');
  const encoding = { Vary: 'Accept-Encoding', ...(isGzip && { 'Content-Encoding': 'gzip' }) };
  return { ...respond(200, requestId, mediaType, body, { ...headers, ...encoding }), isBase64Encoded: true };
};

/** Lambda answers with 6 MB at most, in which the body is once more written as a JSON string. */
const listBytesMax = 4_000_000;

/** The entries as JSON, as many as fit. */
const fitting = (list: List<unknown>): string[] => {
  const texts: string[] = [];
  let bytes = 0;
  for (const { item } of list.entries) {
    const text = JSON.stringify(item);
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > listBytesMax) break;
    texts.push(text);
  }
  return texts;
};

const listResponse = ({ event, requestId, page, scope }: Answered, list: List<unknown>): APIGatewayProxyResult => {
  const texts = fitting(list);
  const isCut = texts.length < list.entries.length;
  if (isCut && page.limit === undefined) throw new ApiError('LIST_TOO_LONG');
  const last = list.entries[texts.length - 1];
  const headers: Record<string, string> = {};
  if (last && (isCut || list.more)) headers.Link = `<${nextPath(event, sealCursor(last.position, scope))}>; rel="next"`;
  return respond(200, requestId, 'application/json', `[${texts.join(',')}]`, headers);
};

const nextPath = ({ requestContext, queryStringParameters }: APIGatewayProxyEvent, cursor: string): string => {
  const query = new URLSearchParams(queryStringParameters as Record<string, string>);
  query.set('cursor', cursor);
  return `${requestContext.path}?${query.toString()}`;
};

/** The response of a refusal. */
export const problemResponse = (error: ApiError, requestId: string): APIGatewayProxyResult => {
  const { status, retryAfterSeconds } = errors[error.code];
  const body = problem(error.code, requestId, error.message, error.violations);
  return respond(
    status,
    requestId,
    problemMediaType,
    JSON.stringify(body),
    retryAfterSeconds ? { 'Retry-After': String(retryAfterSeconds) } : {},
  );
};
