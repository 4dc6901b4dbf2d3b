import { randomBytes } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { pageUploads } from '../../page-uploads.ts';
import { isOutOfRoom } from '../disk-space.ts';
import type { Files } from './files.ts';
import { abortUpload, completeUpload, createUpload, listParts, uploadPart } from './multipart.ts';
import { deleteObject, deleteObjects, getObject, listObjects, putObject } from './objects.ts';
import { authenticate, type RefusalOf, type SecretOf, type SignedCall } from './signature.ts';
import { type Answer, invalid, notImplemented, Refusal, readCall } from './wire.ts';

type Operation = (call: SignedCall, files: Files) => Promise<Answer>;

/** By method, by what the path names, and by the parameters that choose an operation. */
const operations: Readonly<Record<string, Operation>> = {
  'PUT bucket': async ({ bucket }, files) => files.createBucket(bucket).then(() => ({})),
  'HEAD bucket': async () => ({}),
  'GET bucket list-type': listObjects,
  'POST bucket delete': deleteObjects,
  'PUT object': putObject,
  'GET object': getObject,
  'HEAD object': getObject,
  'DELETE object': deleteObject,
  'POST object uploads': createUpload,
  'PUT object partNumber uploadId': uploadPart,
  'GET object uploadId': listParts,
  'POST object uploadId': completeUpload,
  'DELETE object uploadId': abortUpload,
};

/** Those that bring bytes. To complete an upload needs none: its parts are there. */
const storing: ReadonlySet<string> = new Set(['PUT object', 'PUT object partNumber uploadId', 'POST object uploads']);

const plainParameters =
  /^(?:x-.*|response-.*|prefix|delimiter|start-after|continuation-token|max-keys|max-parts|part-number-marker)$/i;
/** Any other header of S3 asks for something that would be passed over in silence. */
const knownHeaders =
  /^x-amz-(?:algorithm|checksum-.*|content-sha256|copy-source.*|credential|date|decoded-content-length|expires|meta-.*|metadata-directive|sdk-checksum-algorithm|security-token|signature|signedheaders|trailer|user-agent)$/;

/** What a store knows of those who call it. */
export interface Callers {
  readonly secretOf: SecretOf;
  readonly refusalOf: RefusalOf;
}

/** The answer to a browser that asks whether a page may make a call, as S3 gives it by the rule of the bucket. Nobody signs the question. */
const preflight = ({ headers }: IncomingMessage): Answer => {
  const asked = headers['access-control-request-headers'] ?? pageUploads.header;
  const isAllowed =
    headers['access-control-request-method'] === pageUploads.method && asked.toLowerCase() === pageUploads.header;
  if (!isAllowed) throw new Refusal(403, 'AccessForbidden', 'CORSResponse: This CORS request is not allowed.');
  return {
    headers: {
      ...forPages,
      'Access-Control-Allow-Methods': pageUploads.method,
      'Access-Control-Allow-Headers': pageUploads.header,
      'Access-Control-Max-Age': pageUploads.seconds,
    },
  };
};

/** What lets a page read the answer to its upload. */
const forPages = { 'Access-Control-Allow-Origin': pageUploads.origin };

const answerTo = async (request: IncomingMessage, files: Files, callers: Callers): Promise<Answer> => {
  if (request.method === 'OPTIONS') return preflight(request);
  const call = await authenticate(readCall(request), callers);
  const { method, bucket, key, query, headers } = call;
  const parameters = [...query.keys()].filter((name) => !plainParameters.test(name)).toSorted();
  const name = [method, key === '' ? 'bucket' : 'object', ...parameters].join(' ');
  const unknown = Object.keys(headers).find((header) => header.startsWith('x-amz-') && !knownHeaders.test(header));
  const operation = operations[name];
  if (!operation || unknown) throw notImplemented(unknown ?? name);
  if (storing.has(name) && !files.hasRoom(Number(headers['content-length'] ?? 0))) throw full();
  if (name === 'PUT bucket' || files.hasBucket(bucket)) return operation(call, files);
  throw new Refusal(404, 'NoSuchBucket', 'The specified bucket does not exist.');
};

/** S3 is never full. Stores on a disk, such as MinIO, say it with 507, too. */
const full = (): Refusal => new Refusal(507, 'InsufficientStorage', 'The disk of the object store is full.');

const answerOfError = (error: unknown): Answer => {
  if (error instanceof Refusal) return error.answer;
  if (isOutOfRoom(error)) return full().answer;
  if (error instanceof URIError) return invalid('InvalidURI', "Couldn't parse the specified URI.").answer;
  // Who uploads may hang up.
  if (!['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'].includes(`${(error as NodeJS.ErrnoException).code}`))
    process.stderr.write(`The object store failed: ${error instanceof Error ? error.stack : String(error)}\n`);
  return new Refusal(500, 'InternalError', 'The object store failed; its reason stands in its log.').answer;
};

const answer = async (request: IncomingMessage, response: ServerResponse, found: Promise<Answer>): Promise<void> => {
  const { status = 200, headers, body = '' } = await found.catch(answerOfError);
  // Who hung up gets no answer.
  if (request.errored) return;
  response.statusCode = status;
  const requestId = randomBytes(8).toString('hex').toUpperCase();
  if (typeof body === 'string' && body !== '') response.setHeader('Content-Type', 'application/xml');
  const ofPage = request.method === pageUploads.method && request.headers.origin !== undefined ? forPages : {};
  response.setHeaders(new Map(Object.entries({ ...headers, ...ofPage, 'x-amz-request-id': requestId })));
  if (typeof body === 'string') response.end(body);
  else await pipeline(body, response);
  // What a refused client still sends is read, so that it comes to read the answer.
  request.resume();
};

/** Answers the requests to a store. */
export const listenerOf =
  (files: Files, callers: Callers): RequestListener =>
  (request, response) =>
    void answer(request, response, answerTo(request, files, callers)).catch(() => response.destroy());
