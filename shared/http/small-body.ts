import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ApiError } from '../errors.ts';
import { jsonBytesMax } from '../limits.ts';
import { askHeader } from './door-headers.ts';
import { bytesOf, headerOf, mediaTypeOf, requirePlain } from './input.ts';

/** The bytes of a body that is small, not compressed, and of one of these media types if there is any. */
export const smallBodyOf = (event: APIGatewayProxyEvent, mediaTypes: readonly string[]): Buffer => {
  const bytes = bytesOf(event);
  // The door asks about bodies that are too large for a request.
  if (bytes.length > jsonBytesMax || headerOf(event, askHeader) !== undefined) throw new ApiError('BODY_TOO_LARGE');
  if (bytes.length === 0) return bytes;
  if (!mediaTypes.includes(mediaTypeOf(event))) throw new ApiError('MEDIA_TYPE_UNSUPPORTED');
  requirePlain(event);
  return bytes;
};
