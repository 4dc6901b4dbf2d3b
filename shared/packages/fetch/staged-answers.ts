import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ApiError } from '../../errors.ts';
import { log, logLostObject } from '../../observability/log.ts';
import { stagingObjectKey } from '../../store/keys.ts';
import { putObjectOnce, readObject } from '../../store/objects.ts';
import type { ReceivedFile } from '../../store/received-file.ts';
import { isRunning, recentFailure, type StagedAnswer, usableAnswer } from '../../table/packages/upstream-fetches.ts';
import { failedFetch } from '../upstream/fetch-failure.ts';
import type { UpstreamAnswer } from '../upstream/upstream-request.ts';
import { untilFound } from './polling.ts';
import { beginInWorker, concluded, type LeasedFetch, type LeftToFetch, requireUnfinished } from './worker-queue.ts';

/** A fetch whose answer goes through the staging area if it takes longer than a request. */
export interface StagedFetch extends LeasedFetch {
  /** When the upstream last confirmed the copy in the cache, if there is one. */
  readonly copyAt: number | undefined;
  /** Before the cache was read, in milliseconds since the epoch. */
  readonly seenAt: number;
  /** Aborts when the request no longer waits for the worker. */
  readonly patience: AbortSignal;
}

/**
 * The answer that the worker staged; undefined if nobody asks the upstream. While the worker does, it waits, and throws
 * FILE_PENDING if that takes too long. A failure of before is thrown only if the client waited for that fetch.
 */
export const stagedAnswer = async (
  { table, leaseKey, copyAt, patience }: StagedFetch,
  isWaiting: boolean,
): Promise<StagedAnswer | undefined> => {
  let hasWaited = isWaiting;
  const { staged } = await untilFound(async () => {
    const state = (await table.read([leaseKey])).find(leaseKey);
    const usable = usableAnswer(state, copyAt);
    const failure = hasWaited && recentFailure(state);
    if (failure) throw failedFetch(failure);
    hasWaited = true;
    return usable || !isRunning(state) ? { staged: usable } : undefined;
  }, patience);
  return staged;
};

/** Asks an upstream. If its answer takes longer than the request, the worker asks again, and `use` gets what it staged. */
export const askInTime = async <T>(
  fetch: StagedFetch,
  left: LeftToFetch,
  ask: () => Promise<T>,
  use: (staged: StagedAnswer) => Promise<T>,
): Promise<T> => {
  try {
    return await ask();
  } catch (error) {
    requireUnfinished(error);
    await begin(fetch, left);
  }
  const staged = await stagedAnswer(fetch, true);
  if (!staged) throw new ApiError('FILE_PENDING');
  return use(staged);
};

/** Lets the worker ask. If that fails, the request is pending all the same, so that a copy in the cache is served. */
const begin = async (fetch: StagedFetch, left: LeftToFetch): Promise<void> => {
  try {
    await beginInWorker(fetch, left);
  } catch (error) {
    log.bestEffortFailure(error);
    throw new ApiError('FILE_PENDING');
  }
};

/** Throws FILE_PENDING if the store has lost a staged answer, and ends its fetch, so that the next request asks the upstream again. */
export const requireStaged = async <T>(
  fetch: LeasedFetch,
  { fetchId, stagingKey = '' }: StagedAnswer,
  found: T | undefined,
): Promise<T> => {
  if (found !== undefined) return found;
  logLostObject(stagingKey, 'absent');
  await concluded(fetch, fetchId);
  throw new ApiError('FILE_PENDING');
};

/** A staged answer as the upstream at a URL gave it. Throws FILE_PENDING if the store has lost it. */
export const answerOf = async (fetch: LeasedFetch, staged: StagedAnswer, url: string): Promise<UpstreamAnswer> => {
  const { stagingKey, contentEncoding, copy } = staged;
  if (stagingKey === undefined) return { kind: 'absent' };
  const content = await requireStaged(fetch, staged, await readObject(stagingKey, fetch.table.signal));
  const context = { host: new URL(url).host, status: 200 };
  const headers = { 'content-encoding': contentEncoding };
  return { kind: 'content', response: { headers, context, body: Readable.from([content]) }, copy };
};

/** Writes a file to the staging area, unless it is there already. Returns the key of its object. */
export const stage = async (received: ReceivedFile, signal: AbortSignal): Promise<string> => {
  if (received.stagingKey !== undefined) return received.stagingKey;
  const key = stagingObjectKey(randomUUID());
  await putObjectOnce(key, await buffer(await received.stream()), signal);
  return key;
};
