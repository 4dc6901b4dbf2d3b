import { Readable } from 'node:stream';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ApiError } from '../../errors.ts';
import type { BuiltContract, RequestReader } from '../built-contract.ts';
import type { RequestKind } from '../contract.ts';
import type { Json } from '../documenter.ts';
import { bytesOf, headerOf, isPlain, readInput } from '../input.ts';
import type { ByteBody } from '../payloads.ts';

type BytesRequest = Extract<RequestKind, { kind: 'bytes' }>;

/** Gives the body of a request as a stream of bytes. */
export const read: RequestReader = (contract, event) =>
  readInput(contract, event, () => {
    const { mediaTypes, bytesMax } = requestOf(contract);
    const body = byteBodyOf(event);
    if (body.length > bytesMax) throw tooLarge(bytesMax);
    checkMediaType(mediaTypes, event);
    return { body };
  });

const requestOf = ({ id, request }: BuiltContract): BytesRequest => {
  if (request?.kind !== 'bytes') throw new Error(`The contract ${id} takes no bytes.`);
  return request;
};

/** The body of an event. It is in memory already, but callers must not rely on that. */
export const byteBodyOf = (event: APIGatewayProxyEvent): ByteBody => {
  const bytes = bytesOf(event);
  return { length: bytes.length, mediaType: headerOf(event, 'content-type'), stream: () => Readable.from([bytes]) };
};

/** What to do with a file that is too large for a request. */
export const wayOfLargerFiles =
  'Publish larger files through an upload session: POST /1/workspaces/{workspace}/repositories/{repository}/packages/uploads.';

/** The refusal of a body that is too large for the API. It names the limit and the way to publish larger files. */
export const tooLarge = (bytesMax: number): ApiError =>
  new ApiError('BODY_TOO_LARGE', `The request body must be at most ${bytesMax} bytes here. ${wayOfLargerFiles}`);

const checkMediaType = (mediaTypes: BytesRequest['mediaTypes'], event: APIGatewayProxyEvent): void => {
  const [mediaType = ''] = (headerOf(event, 'content-type') ?? '').split(';');
  if (mediaTypes?.includes(mediaType.trim().toLowerCase()) === false || !isPlain(event))
    throw new ApiError(
      'MEDIA_TYPE_UNSUPPORTED',
      mediaTypes && `Send the body as ${mediaTypes.join(' or ')}, uncompressed.`,
    );
};

/** The request body in the OpenAPI document. */
export const describe = ({ mediaTypes = ['*/*'] }: BytesRequest): Json => ({
  required: true,
  content: Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, {}])),
});
