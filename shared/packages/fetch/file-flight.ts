import { ApiError } from '../../errors.ts';
import { log } from '../../observability/log.ts';
import type { IdentityMap } from '../../table/identity-map.ts';
import { isLive } from '../../table/packages/packages.ts';
import {
  beginFetch,
  endWithContent,
  isRunning,
  recentFailure,
  type UpstreamFetch,
} from '../../table/packages/upstream-fetches.ts';
import { failedFetch } from '../upstream/fetch-failure.ts';
import { type UpstreamFile, withPromise } from '../upstream/upstream-body.ts';
import { type FetchRequest, withReserve } from '../upstream/upstream-request.ts';
import {
  type FetchedFile,
  type FileFetching,
  fetchNow,
  isKnownMissing,
  keyOfFile,
  keyOfMissing,
} from './file-cache.ts';
import { untilFound } from './polling.ts';
import { beginInWorker, concluded, handOver, requireUnfinished } from './worker-queue.ts';

/** Returns the URL of a file at the upstream; undefined if the upstream has no such file. `read` has what was read before. */
export type LocateFile = (read?: IdentityMap) => Promise<UpstreamFile | undefined>;

/** Fetches a file within the time of the request, if it arrives in that time. Throws FILE_PENDING if its turn does not come in it. */
export const tryToFetch = async (
  fetch: FileFetching,
  upstream: UpstreamFile,
): Promise<FetchedFile | 'unfinished' | undefined> => {
  try {
    return await fetchNow(fetch, upstream);
  } catch (error) {
    requireUnfinished(error);
    return 'unfinished';
  }
};

/**
 * Fetches a file of which no copy can be served. One caller at a time fetches it; the others wait for the result and get the
 * same failure. The file is located without the lease, because the index of the upstream has a cache of its own. Throws
 * FILE_PENDING if the fetch takes longer than the request.
 */
export const fetchInTurn = async (
  fetch: FileFetching,
  { isWaiting, startedAt }: FetchRequest,
  known: UpstreamFetch | undefined,
  locateUpstream: LocateFile,
): Promise<FetchedFile | undefined> => {
  const failure = isWaiting && recentFailure(known);
  if (failure) throw failedFetch(failure);
  if (isRunning(known)) {
    const outcome = await outcomeOf(fetch);
    if (outcome !== 'given up') return outcome;
  }
  const upstream = await withReserve(async () => locateUpstream(fetch.read));
  if (!upstream) return undefined;
  for (let seenAt: number | undefined = startedAt; ; seenAt = undefined) {
    const fetchId = await beginFetch(fetch.table, fetch.leaseKey, seenAt);
    const outcome = fetchId === undefined ? await outcomeOf(fetch) : await fetchHere(fetch, fetchId, upstream);
    if (outcome !== 'given up') return outcome;
  }
};

const fetchHere = async (
  fetch: FileFetching,
  fetchId: string,
  upstream: UpstreamFile,
): Promise<FetchedFile | undefined> => {
  try {
    const ends = [endWithContent(fetch.leaseKey)];
    const fetched = await withReserve(async () => tryToFetch({ ...fetch, ends }, upstream));
    if (fetched !== 'unfinished') {
      if (!fetched?.hasEnded) await concluded(fetch, fetchId);
      return fetched;
    }
    const left = { address: fetch.address, upstream: await withPromise(upstream) };
    await handOver(fetch, fetchId, { ...left, ...(fetch.isLost && { isLost: true }) });
  } catch (error) {
    await concluded(fetch, fetchId, { error });
    throw error;
  }
  const outcome = await outcomeOf(fetch);
  if (outcome === 'given up') throw new ApiError('FILE_PENDING');
  return outcome;
};

/** Lets the worker fetch a file, unless another fetch of it is running. Best effort, because no client waits. */
export const refreshInWorker = async (fetch: FileFetching, upstream: UpstreamFile): Promise<void> => {
  try {
    await beginInWorker(fetch, { address: fetch.address, upstream: await withPromise(upstream) });
  } catch (error) {
    log.bestEffortFailure(error);
  }
};

/** Waits for the result of the running fetch until the deadline. */
const outcomeOf = async (fetch: FileFetching): Promise<FetchedFile | 'given up' | undefined> => {
  const { table, cached, deadline } = fetch;
  const keys = [keyOfFile(fetch), keyOfMissing(fetch), fetch.leaseKey] as const;
  const [fileKey, missingKey, leaseKey] = keys;
  const { outcome } = await untilFound(async () => {
    const loaded = await table.read(keys);
    const file = loaded.find(fileKey);
    const isNew = isLive(file) && file.copy?.checkedAt !== cached?.copy?.checkedAt;
    if (isNew) return { outcome: { file, cache: 'hit' } as const };
    if (isKnownMissing(loaded.find(missingKey))) return { outcome: undefined };
    const state = loaded.find(leaseKey);
    const failure = recentFailure(state);
    if (failure) throw failedFetch(failure);
    return isRunning(state) ? undefined : { outcome: 'given up' as const };
  }, deadline);
  return outcome;
};
