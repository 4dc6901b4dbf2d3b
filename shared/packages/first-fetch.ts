import { setTimeout as wait } from 'node:timers/promises';
import { config } from '../config.ts';
import { ApiError } from '../errors.ts';
import { invokeAsynchronously } from '../invocation.ts';
import { log } from '../observability/log.ts';
import type { Table } from '../table/client.ts';
import {
  beginFetch,
  endFetch,
  type FetchFailure,
  type FileFetch,
  isRunning,
  keepFetch,
  recentFailure,
} from '../table/file-fetches.ts';
import { fileFetchKey } from '../table/keys.ts';
import { isLive } from '../table/packages.ts';
import { UpstreamError } from '../upstream/upstream-error.ts';
import { withReserve } from './asking-upstream.ts';
import {
  type FetchedFile,
  type FileFetching,
  fetchNow,
  isKnownMissing,
  keyOfFile,
  keyOfMissing,
} from './fetching-file.ts';
import type { UpstreamFile } from './receiving-upstream.ts';
import type { FileAddress } from './resolution.ts';

/** Returns the URL of a file at the upstream; undefined if the upstream has no such file. */
export type LocateFile = () => Promise<UpstreamFile | undefined>;

/** The parts of a request that a fetch needs. */
export interface FetchRequest {
  readonly table: Table;
  /** Aborts when the request must be answered, even if the file is not there yet. */
  readonly deadline: AbortSignal;
  /** Whether the client was redirected here to wait for the file. */
  readonly isWaiting: boolean;
}

/** The fetch takes longer than the request. The client can come back. */
export type Pending = 'pending';

/** The event of the worker: the fetch that it takes over. */
export interface HandedOverFetch {
  readonly fetchId: string;
  readonly workspaceId: string;
  readonly repositoryId: string;
  readonly contentId: string;
  readonly address: FileAddress;
  readonly upstream: UpstreamFile;
}

/** Fetches a file within the time of the request, if it arrives in that time. */
export const tryToFetch = async (
  fetch: FileFetching,
  upstream: UpstreamFile,
): Promise<FetchedFile | 'unfinished' | undefined> => {
  try {
    return await fetchNow(fetch, upstream);
  } catch (error) {
    if (error instanceof UpstreamError && error.kind === 'aborted') return 'unfinished';
    throw error;
  }
};

const keyOf = ({ ref, address }: FileFetching) => fileFetchKey(ref, address.version, address.file);

/**
 * Fetches a file of which no copy can be served. One caller at a time fetches it; the others wait for the result and get the
 * same failure. The file is located without the lease, because the index of the upstream has a cache of its own.
 */
export const fetchInTurn = async (
  fetch: FileFetching,
  { isWaiting }: FetchRequest,
  known: FileFetch | undefined,
  locateUpstream: LocateFile,
): Promise<FetchedFile | Pending | undefined> => {
  const failure = isWaiting && recentFailure(known);
  if (failure) throw refusalOf(failure);
  if (isRunning(known)) {
    const outcome = await outcomeOf(fetch);
    if (outcome !== 'given up') return outcome;
  }
  const upstream = await withReserve(locateUpstream);
  if (!upstream) return undefined;
  for (;;) {
    const fetchId = await beginFetch(fetch.table, keyOf(fetch));
    const outcome = fetchId === undefined ? await outcomeOf(fetch) : await fetchHere(fetch, fetchId, upstream);
    if (outcome !== 'given up') return outcome;
  }
};

const fetchHere = async (
  fetch: FileFetching,
  fetchId: string,
  upstream: UpstreamFile,
): Promise<FetchedFile | Pending | undefined> => {
  try {
    const fetched = await withReserve(async () => tryToFetch(fetch, upstream));
    if (fetched !== 'unfinished') {
      await concluded(fetch, fetchId);
      return fetched;
    }
    await handOver(fetch, fetchId, upstream);
  } catch (error) {
    await concluded(fetch, fetchId, error);
    throw error;
  }
  const outcome = await outcomeOf(fetch);
  return outcome === 'given up' ? 'pending' : outcome;
};

/** Ends the lease, with the failure if there is one. Best effort: the lease also ends by itself. */
export const concluded = async (fetch: FileFetching, fetchId: string, error?: unknown): Promise<void> => {
  const failure = error instanceof ApiError ? error : new ApiError('SERVICE_UNAVAILABLE');
  const told = error === undefined ? undefined : { code: failure.code, detail: failure.message };
  try {
    await endFetch(fetch.table, keyOf(fetch), fetchId, told);
  } catch (cause) {
    log.bestEffortFailure(cause);
  }
};

const handOver = async (fetch: FileFetching, fetchId: string, upstream: UpstreamFile): Promise<void> => {
  const { table, address } = fetch;
  const { workspaceId, repositoryId } = fetch.source;
  const { contentId } = fetch.ref;
  await keepFetch(table, keyOf(fetch), fetchId);
  const event: HandedOverFetch = { fetchId, workspaceId, repositoryId, contentId, address, upstream };
  await invokeAsynchronously(config.fetcherFunction, event, table.signal);
};

/** Lets the worker fetch a file, unless another fetch of it is running. Best effort, because no client waits. */
export const beginInWorker = async (fetch: FileFetching, upstream: UpstreamFile): Promise<void> => {
  try {
    const fetchId = await beginFetch(fetch.table, keyOf(fetch));
    if (fetchId !== undefined) await handOver(fetch, fetchId, upstream);
  } catch (error) {
    log.bestEffortFailure(error);
  }
};

const refusalOf = ({ code, detail }: FetchFailure): ApiError => new ApiError(code, detail);

const pauseFirstMilliseconds = 100;
const pauseMaxMilliseconds = 1_000;

/** Waits for the result of the running fetch until the deadline. */
const outcomeOf = async (fetch: FileFetching): Promise<FetchedFile | Pending | 'given up' | undefined> => {
  const { table, cached, deadline } = fetch;
  const keys = [keyOfFile(fetch), keyOfMissing(fetch), keyOf(fetch)] as const;
  const [fileKey, missingKey, fetchKey] = keys;
  for (let pause = pauseFirstMilliseconds; !deadline.aborted; pause = Math.min(pauseMaxMilliseconds, 2 * pause)) {
    const loaded = await table.read(keys);
    const file = loaded.find(fileKey);
    if (isLive(file) && file.copy?.checkedAt !== cached?.copy?.checkedAt) return { file, cache: 'hit' };
    if (isKnownMissing(loaded.find(missingKey))) return undefined;
    const state = loaded.find(fetchKey);
    const failure = recentFailure(state);
    if (failure) throw refusalOf(failure);
    if (!isRunning(state)) return 'given up';
    await wait(pause, undefined, { signal: deadline }).catch(() => {});
  }
  return 'pending';
};
