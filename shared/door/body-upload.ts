import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { askHeader, lengthHeader, referenceHeader, type UploadTerms } from '../http/door-headers.ts';
import { objectBytesMax, requestBytesMax } from '../limits.ts';
import { isStaged } from '../store/keys.ts';
import { deleteObject } from '../store/objects.ts';
import { placeFile, type StagedUpload, stageFile } from '../store/received-file.ts';
import { digestOf, signReference } from '../store/upload-references.ts';
import { callApiWhole, type WholeAnswer } from './api.ts';
import { targetOf } from './headers.ts';
import type { IncomingBody } from './incoming-body.ts';
import type { MemoryShare, SharedMemory } from './shared-memory.ts';

/** What is known of a body that is too large for a request. */
export interface LargeBody {
  readonly request: IncomingMessage;
  readonly body: IncomingBody;
  /** What was read of it already, and goes on from here. */
  readonly begin: Buffer[];
  /** Called with the caller whom the API allows to send it; returns what is called at its end. */
  readonly allow: (caller: string) => () => void;
}

/** A client would have to send a large body again: the door repeats the calls about it that the service was too busy for. */
const triesMax = 3;

const statusBusy = 503;

/** A service that names a longer time than this knows that an earlier try changes nothing. */
const retryAfterSecondsMax = 10;

const persistently = async (call: () => Promise<WholeAnswer>): Promise<WholeAnswer> => {
  for (let tries = 1; ; tries += 1) {
    const answer = await call();
    const { statusCode, headers } = answer.head;
    const seconds = Number(headers['retry-after'] ?? 1);
    if (statusCode !== statusBusy || tries === triesMax || seconds > retryAfterSecondsMax) return answer;
    // Clients that were refused together do not come back together.
    await pause((tries + Math.random()) * seconds * 1_000);
  }
};

const ask = (request: IncomingMessage, bytes: number | undefined): Promise<WholeAnswer> =>
  persistently(async () =>
    callApiWhole({
      request,
      headers: { [askHeader]: 'ask', ...(bytes !== undefined && { [lengthHeader]: String(bytes) }) },
    }),
  );

const termsIn = ({ head, content }: WholeAnswer): UploadTerms | undefined =>
  head.statusCode === 200 && head.headers[askHeader] === 'allowed'
    ? (JSON.parse(content.toString()) as UploadTerms)
    : undefined;

/** The bytes of a body as long as they are not too many, when there is memory for them. */
const piecesOf = async function* (
  { body, begin }: LargeBody,
  bytesMax: number,
  share?: MemoryShare,
): AsyncGenerator<Buffer> {
  const check = (): void => {
    if (body.bytes > bytesMax) throw new TooLarge();
  };
  check();
  // It is in memory no longer than a part.
  yield* begin.splice(0);
  for await (const piece of body.rest()) {
    check();
    await share?.take(piece.length);
    yield piece;
  }
};

class TooLarge extends Error {}

/** What a body has in the buffers of its connections, at most, while S3 takes it as it comes. */
const passedBytes = 1024 * 1024;

/** Puts a body where it belongs or into the staging area; undefined if it is too large, of which nothing is left there. */
const stage = async (large: LargeBody, terms: UploadTerms, share: MemoryShare): Promise<StagedUpload | undefined> => {
  const { bytesMax, hashes, destination } = terms;
  const { declaredBytes = Number.POSITIVE_INFINITY } = large.body;
  const { signal } = new AbortController();
  try {
    if (!destination || declaredBytes > objectBytesMax)
      return await stageFile(piecesOf(large, bytesMax, share), signal, hashes, ({ length }) => share.giveBack(length));
    await share.take(passedBytes);
    return await placeFile(piecesOf(large, bytesMax), destination, declaredBytes, signal);
  } catch (error) {
    if (error instanceof TooLarge) return undefined;
    throw error;
  }
};

/** Signs a reference to the staged body, which is honoured once, and calls the endpoint with it. */
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

const isRefused = ({ head: { statusCode = 0 } }: WholeAnswer): boolean => statusCode >= 400 && statusCode < 500;

/** How long the removal of a staged body may hold an answer back. */
const removalMilliseconds = 2_000;

/** Removes a staged body. The lifecycle of the bucket removes it later; removing it now saves space, and may fail. */
const remove = async ({ key }: StagedUpload): Promise<void> => {
  if (isStaged(key)) await deleteObject(key, AbortSignal.timeout(removalMilliseconds)).catch(() => {});
};

/** Calls the endpoint with a staged body, and removes it where nothing needs it any more. */
const deliver = async (large: LargeBody, staged: StagedUpload, terms: UploadTerms): Promise<WholeAnswer> => {
  let isKept = false;
  try {
    return await persistently(async () => {
      const wasKept = isKept;
      // The endpoint may keep the body although its answer is a failure, or lost.
      isKept = terms.keepsBody === true;
      const called = await callWith(large, staged, terms);
      if (isRefused(called)) isKept = wasKept;
      return called;
    });
  } finally {
    if (!isKept) await remove(staged);
  }
};

/** What became of a large body. */
export interface Uploaded {
  readonly answer: WholeAnswer;
  /** Whether the body went to the store, and not with the request. */
  readonly isStaged: boolean;
}

/**
 * Lets the API decide about a body before it is read, and stages it if it is too large for a request, to call the same endpoint with a
 * reference to it. Returns the answer for the client. What is left of a body that was refused was not read.
 */
export const upload = async (large: LargeBody, memory: SharedMemory): Promise<Uploaded> => {
  const { request, body, allow } = large;
  const asked = await ask(request, body.declaredBytes);
  const terms = termsIn(asked);
  if (!terms) {
    await body.drain();
    return { answer: asked, isStaged: false };
  }
  const end = allow(terms.caller);
  try {
    return await receive(large, terms, memory);
  } finally {
    end();
  }
};

/** Receives a body that the API allows, and calls the endpoint. */
const receive = async (large: LargeBody, terms: UploadTerms, memory: SharedMemory): Promise<Uploaded> => {
  const { request, body } = large;
  const sent = await memory.use(async (share) => {
    if (body.declaredBytes === undefined) {
      await share.take(body.bytes);
      large.begin.push(...(await body.read(requestBytesMax, share)));
    }
    return body.isRead ? callApiWhole({ request, body: Buffer.concat(large.begin) }) : stage(large, terms, share);
  });
  if (sent && 'head' in sent) return { answer: sent, isStaged: false };
  if (sent) return { answer: await deliver(large, sent, terms), isStaged: true };
  await body.drain();
  // Now the length is known, so the endpoint itself refuses it.
  return { answer: await ask(request, body.bytes), isStaged: false };
};
