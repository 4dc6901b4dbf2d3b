import type { APIGatewayProxyResult } from 'aws-lambda';
import { type ApiError, errors } from '../errors.ts';
import { type Problem, problem, problemMediaType, responseHeaders } from './problem.ts';

/** A response with a text body and the headers of every response. */
export const textResponse = (
  statusCode: number,
  requestId: string,
  mediaType: string,
  body: string,
  headers?: Readonly<Record<string, string>>,
): APIGatewayProxyResult => ({
  statusCode,
  headers: { 'Content-Type': mediaType, 'X-Request-Id': requestId, ...responseHeaders, ...headers },
  body,
});

/** A response with a body of bytes and the headers of every response. */
export const bytesResponse = (
  statusCode: number,
  requestId: string,
  mediaType: string,
  bytes: Uint8Array,
  headers?: Readonly<Record<string, string>>,
): APIGatewayProxyResult => ({
  ...textResponse(statusCode, requestId, mediaType, Buffer.from(bytes).toString('base64'), headers),
  isBase64Encoded: true,
});

/** The response of a refusal. */
export const problemResponse = (
  error: ApiError,
  requestId: string,
  shape: (body: Problem, userAgent?: string) => object | string = (body) => body,
  userAgent?: string,
  headersOf: (body: Problem) => Readonly<Record<string, string>> = () => ({}),
): APIGatewayProxyResult => {
  const { status, retryAfterSeconds } = errors[error.code];
  const body = problem(error.code, requestId, error.message, error.violations);
  const headers = {
    ...headersOf(body),
    ...(retryAfterSeconds && { 'Retry-After': `${retryAfterSeconds}` }),
    ...error.headers,
  };
  const shaped = shape(body, userAgent);
  return typeof shaped === 'string'
    ? textResponse(status, requestId, 'text/plain; charset=utf-8', shaped, headers)
    : textResponse(status, requestId, problemMediaType, JSON.stringify(shaped), headers);
};
