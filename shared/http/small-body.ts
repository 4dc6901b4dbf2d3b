import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ApiError } from '../errors.ts';
import { jsonBytesMax } from '../limits.ts';
import { askHeader } from './door-headers.ts';
import { bytesOf, headerOf, isPlain } from './input.ts';

/** The media type of a body, in lower case and without its parameters. */
export const mediaTypeOf = (event: APIGatewayProxyEvent): string | undefined =>
  headerOf(event, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase();

/** The bytes of a body that is small, not compressed, and of one of these media types if there is any. */
export const smallBodyOf = (event: APIGatewayProxyEvent, mediaTypes: readonly string[]): Buffer => {
  const bytes = bytesOf(event);
  // The door asks about bodies that are too large for a request.
  if (bytes.length > jsonBytesMax || headerOf(event, askHeader) !== undefined) throw new ApiError('BODY_TOO_LARGE');
  const isKnown = mediaTypes.includes(mediaTypeOf(event) ?? '') && isPlain(event);
  if (bytes.length > 0 && !isKnown) throw new ApiError('MEDIA_TYPE_UNSUPPORTED');
  return bytes;
};
