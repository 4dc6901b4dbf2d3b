import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { askHeader, lengthHeader, referenceHeader, type UploadTerms } from '../http/door-headers.ts';
import { isStaged } from '../store/keys.ts';
import { deleteObject } from '../store/objects.ts';
import { placeFile, type StagedUpload, stageFile } from '../store/receiving.ts';
import { digestOf, signReference } from '../store/upload-references.ts';
import { callApiWhole, type WholeAnswer } from './api.ts';
import { targetOf } from './headers.ts';
import type { IncomingBody } from './incoming-body.ts';
import type { Turns } from './turns.ts';

/** What is known of a body that is too large for a request. */
export interface LargeBody {
  readonly request: IncomingMessage;
  readonly body: IncomingBody;
  /** What was read of it already. */
  readonly begin: readonly Buffer[];
}

/** How long the removal of a staged body may hold an answer back. */
const removalMilliseconds = 2_000;

const ask = (request: IncomingMessage, bytes: number | undefined): Promise<WholeAnswer> =>
  callApiWhole({
    request,
    headers: { [askHeader]: 'ask', ...(bytes !== undefined && { [lengthHeader]: String(bytes) }) },
  });

const termsIn = ({ head, content }: WholeAnswer): UploadTerms | undefined =>
  head.statusCode === 200 && head.headers[askHeader] === 'allowed'
    ? (JSON.parse(content.toString()) as UploadTerms)
    : undefined;

/** The bytes of a body as long as they are not too many. */
const piecesOf = async function* ({ body, begin }: LargeBody, bytesMax: number): AsyncGenerator<Buffer> {
  yield* begin;
  for await (const piece of body.rest()) {
    if (body.bytes > bytesMax) throw new TooLarge();
    yield piece;
  }
};

class TooLarge extends Error {}

/** The maximum size of an object that S3 takes in one request. docs.aws.amazon.com/AmazonS3/latest/userguide/upload-objects.html */
const placedBytesMax = 5 * 1024 ** 3;

/** Puts a body where it belongs or into the staging area; undefined if it is too large, of which nothing is left there. */
const stage = async (large: LargeBody, terms: UploadTerms): Promise<StagedUpload | undefined> => {
  const { bytesMax, hashes, destination } = terms;
  const { declaredBytes: bytes = Number.POSITIVE_INFINITY } = large.body;
  const { signal } = new AbortController();
  try {
    return destination && bytes <= placedBytesMax
      ? await placeFile(piecesOf(large, bytesMax), destination, bytes, signal)
      : await stageFile(piecesOf(large, bytesMax), signal, hashes);
  } catch (error) {
    if (error instanceof TooLarge) return undefined;
    throw error;
  }
};

/** Calls the endpoint with a reference to the staged body. */
const callWith = async (
  { request }: LargeBody,
  staged: StagedUpload,
  { caller }: UploadTerms,
): Promise<WholeAnswer> => {
  const [path = '', ...query] = targetOf(request).split('?');
  const digest = digestOf({
    method: request.method ?? '',
    path,
    query: [...new URLSearchParams(query.join('?'))],
    mediaType: request.headers['content-type'],
  });
  const reference = await signReference(
    { ...staged, id: randomUUID(), caller, request: digest },
    new AbortController().signal,
  );
  return callApiWhole({ request, headers: { [referenceHeader]: reference } });
};

/**
 * Removes a staged body that nothing needs any more. The lifecycle of the bucket removes it later. Removing it now saves space, and
 * may fail.
 */
const remove = async ({ key }: StagedUpload): Promise<void> => {
  if (isStaged(key)) await deleteObject(key, AbortSignal.timeout(removalMilliseconds)).catch(() => {});
};

const isRefused = ({ head: { statusCode = 0 } }: WholeAnswer): boolean => statusCode >= 400 && statusCode < 500;

/**
 * Lets the API decide about a body that is too large for a request, stages it, and calls the same endpoint with a reference to it.
 * Returns the answer for the client, when its body was read to its end.
 */
export const upload = async (large: LargeBody, turns: Turns): Promise<WholeAnswer> => {
  const { request, body } = large;
  const asked = await ask(request, body.declaredBytes);
  const terms = termsIn(asked);
  if (!terms) {
    await body.drain();
    return asked;
  }
  const answer = await turns.take(async () => {
    const staged = await stage(large, terms);
    if (!staged) return undefined;
    // The endpoint may have kept the body although its answer is a failure, or lost.
    let isKept = terms.keepsBody === true;
    try {
      const called = await callWith(large, staged, terms);
      isKept &&= !isRefused(called);
      return called;
    } finally {
      if (!isKept) await remove(staged);
    }
  });
  if (answer) return answer;
  await body.drain();
  // Now the length is known, so the endpoint itself refuses it.
  return ask(request, body.bytes);
};
