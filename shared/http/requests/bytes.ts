import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ApiError } from '../../errors.ts';
import { tooLarge } from '../body-limits.ts';
import type { BuiltContract, RequestReader } from '../built-contract.ts';
import type { RequestKind } from '../contract.ts';
import type { Json } from '../documenter.ts';
import { bytesOf, headerOf, mediaTypeOf, readInput, requirePlain } from '../input.ts';
import type { ByteBody } from '../payloads.ts';
import { stagedBodyOf } from '../staged-bodies.ts';

/** RFC 9110 section 14.4: who takes no part must not take it for the whole. */
const wholeAlone = 'The body must be the whole file: send it without Content-Range, from its beginning.';

type BytesRequest = Extract<RequestKind, { kind: 'bytes' }>;

/** Gives the body of a request as a stream of bytes. */
export const read: RequestReader = (contract, event) =>
  readInput(contract, event, () => {
    const { mediaTypes, takesParts = false, isAlsoGzipped = false, ...limits } = requestOf(contract);
    if (!takesParts && headerOf(event, 'content-range') !== undefined) throw new ApiError('BODY_MALFORMED', wholeAlone);
    const isGzipped = isAlsoGzipped && isGzip(event);
    checkMediaType(mediaTypes, event);
    if (!isGzipped) requirePlain(event);
    return { body: isGzipped ? unzippedBodyOf(event, limits) : byteBodyOf(event, limits) };
  });

const requestOf = ({ id, request }: BuiltContract): BytesRequest => {
  if (request?.kind !== 'bytes') throw new Error(`The contract ${id} takes no bytes.`);
  return request;
};

/** The maximum sizes of a body: in a request, and through the door. */
export interface BodyLimits {
  readonly bytesMax: number;
  readonly stagedBytesMax?: number;
}

/** The body of an event, which is in it or in the staging area. Throws BODY_TOO_LARGE. */
export const byteBodyOf = (event: APIGatewayProxyEvent, limits: BodyLimits): ByteBody => {
  const body = (limits.stagedBytesMax && stagedBodyOf(event)) || sentBodyOf(event);
  const bytesMax = (body.staged && limits.stagedBytesMax) ?? limits.bytesMax;
  if (body.length > bytesMax) throw tooLarge(bytesMax);
  return body;
};

const sentBodyOf = (event: APIGatewayProxyEvent): ByteBody => {
  const bytes = bytesOf(event);
  return { length: bytes.length, mediaType: headerOf(event, 'content-type'), stream: () => Readable.from([bytes]) };
};

const isGzip = (event: APIGatewayProxyEvent): boolean => headerOf(event, 'content-encoding')?.toLowerCase() === 'gzip';

/** The bytes in a compressed body. What has more is not read to its end. */
const unzippedBodyOf = (event: APIGatewayProxyEvent, { bytesMax }: BodyLimits): ByteBody => {
  const bytes = unzipped(bytesOf(event), bytesMax);
  return { length: bytes.length, mediaType: headerOf(event, 'content-type'), stream: () => Readable.from([bytes]) };
};

const unzipped = (sent: Buffer, bytesMax: number): Buffer => {
  try {
    return gunzipSync(sent, { maxOutputLength: bytesMax });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(bytesMax);
    throw new ApiError('BODY_MALFORMED', 'The request body is not compressed with gzip, as Content-Encoding says.');
  }
};

const checkMediaType = (mediaTypes: BytesRequest['mediaTypes'], event: APIGatewayProxyEvent): void => {
  if (mediaTypes?.includes(mediaTypeOf(event)) === false)
    throw new ApiError('MEDIA_TYPE_UNSUPPORTED', `Send the body as ${mediaTypes.join(' or ')}, uncompressed.`);
};

/** The request body in the OpenAPI document. */
export const describe = ({ mediaTypes = ['*/*'] }: BytesRequest): Json => ({
  required: true,
  content: Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, {}])),
});
