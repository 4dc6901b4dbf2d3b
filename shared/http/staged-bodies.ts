import { Readable } from 'node:stream';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { doorSettings } from '../door-settings.ts';
import { ApiError } from '../errors.ts';
import { longRequestMilliseconds } from '../limits.ts';
import { streamObject } from '../store/objects.ts';
import { digestOf, isSigned, readReference, type UploadReference } from '../store/upload-references.ts';
import type { Table } from '../table/client.ts';
import { useOnce } from '../table/packages/upload-uses.ts';
import { referenceHeader } from './door-headers.ts';
import { headerOf } from './input.ts';
import type { ByteBody } from './payloads.ts';

const refused = (why: string): ApiError =>
  new ApiError('REQUEST_INVALID', `The uploaded body cannot be used, because ${why}: send the request again.`);

const malformed = (): ApiError => refused(`the reference in ${referenceHeader} is malformed`);

/**
 * The body that the door has staged for a request; undefined if the body is in the request. Nobody may read it before the
 * reference is checked.
 */
export const stagedBodyOf = (event: APIGatewayProxyEvent): ByteBody | undefined => {
  const text = doorSettings.keyId === undefined ? undefined : headerOf(event, referenceHeader);
  if (text === undefined) return undefined;
  const reference = readReference(text);
  if (!reference) throw malformed();
  const { key, size, hashes } = reference;
  return {
    length: size,
    mediaType: headerOf(event, 'content-type'),
    staged: { key, size, hashes },
    stream: () => Readable.from(piecesOf(key)),
  };
};

const piecesOf = async function* (key: string): AsyncGenerator<Buffer> {
  const stream = await streamObject(key, AbortSignal.timeout(longRequestMilliseconds));
  if (!stream) throw refused('it is gone');
  yield* stream as AsyncIterable<Buffer>;
};

/** The request of an event under the paths that the door may have sent it to: with and without the name of the stage. */
const digestsOf = (event: APIGatewayProxyEvent): readonly string[] => {
  const query = Object.entries(event.multiValueQueryStringParameters ?? {}).flatMap(([name, values]) =>
    (values ?? []).map((value) => [name, value] as const),
  );
  const request = { method: event.httpMethod, query, mediaType: headerOf(event, 'content-type') };
  return [event.path, event.requestContext.path].map((path) => digestOf({ ...request, path }));
};

const refusalOf = (
  event: APIGatewayProxyEvent,
  { caller, request, expiresAt }: UploadReference,
  actorId: string | undefined,
): ApiError | undefined => {
  if (caller !== actorId) return refused('another caller has sent it');
  if (!digestsOf(event).includes(request)) return refused('it was sent to another address');
  return expiresAt <= Date.now() ? refused('it came too long ago') : undefined;
};

/** Lets a request use a staged body, once. Throws REQUEST_INVALID if the body belongs to another request or was used before. */
export const takeStagedBody = async (
  event: APIGatewayProxyEvent,
  text: string,
  actorId: string | undefined,
  table: Table,
): Promise<void> => {
  const reference = readReference(text);
  if (!reference) throw malformed();
  if (!(await isSigned(text, table.signal))) throw refused('the signature of its reference is wrong');
  const refusal = refusalOf(event, reference, actorId);
  if (refusal) throw refusal;
  if (!(await useOnce(table, reference.id, reference.expiresAt))) throw refused('it was used before');
};
