import { config } from '../config.ts';
import { isRunning } from '../table/file-fetches.ts';
import { fileFetchKey, missingFileKey, upstreamPauseKey } from '../table/keys.ts';
import { isLive, type PackageFile } from '../table/packages.ts';
import { contentIdOf, type RemoteRepository } from '../table/repositories.ts';
import { takeLease } from '../table/upstream-copies.ts';
import { forFetching, isServableStale, withReserve } from './asking-upstream.ts';
import { type FetchedFile, type FileFetching, isFresh, isKnownMissing, keyOfFile } from './fetching-file.ts';
import {
  beginInWorker,
  type FetchRequest,
  fetchInTurn,
  type LocateFile,
  type Pending,
  tryToFetch,
} from './first-fetch.ts';
import type { UpstreamFile } from './receiving-upstream.ts';
import type { FileAddress } from './resolution.ts';

/** The number of bytes that can be expected in a millisecond. A file above 500 MB is not expected within 20 seconds. */
const bytesPerMillisecond = 25_000;

/**
 * Fetches a file that is not cached, or whose cached copy is stale, and caches it; undefined if the upstream has no such
 * file, and `pending` if the fetch takes longer than the request. `locateUpstream` returns its URL at the upstream. Throws
 * UPSTREAM_FAILED and UPSTREAM_TIMEOUT if there is no copy that may be served.
 */
export const fetchFile = async (
  request: FetchRequest,
  source: RemoteRepository,
  address: FileAddress,
  cached: PackageFile | undefined,
  locateUpstream: LocateFile,
): Promise<FetchedFile | Pending | undefined> => {
  const table = forFetching(request.table);
  const ref = { contentId: contentIdOf(source), name: address.name };
  const { version, file } = address;
  const [missingKey, pauseKey] = [missingFileKey(ref, version, file), upstreamPauseKey(ref.contentId)];
  const fetchKey = fileFetchKey(ref, version, file);
  const loaded = await table.read([missingKey, pauseKey, fetchKey]);
  if (isKnownMissing(loaded.find(missingKey))) return undefined;
  const bytesInTime = config.upstreamAnswerMilliseconds * bytesPerMillisecond;
  const fetch: FileFetching = {
    table,
    source,
    ref,
    address,
    cached,
    bytesInTime,
    pause: loaded.find(pauseKey),
    deadline: request.deadline,
  };
  const known = loaded.find(fetchKey);
  if (!cached?.copy || !isServableStale(cached.copy)) return fetchInTurn(fetch, request, known, locateUpstream);
  return isRunning(known) ? staleCopy(cached) : refreshed(fetch, staleCopy(cached), locateUpstream);
};

const staleCopy = (file: PackageFile): FetchedFile => ({ file, cache: 'stale' });

/** Revalidates a stale copy. If that takes longer than the request, the worker goes on and the copy is served. */
const refreshed = async (
  fetch: FileFetching,
  reserve: FetchedFile,
  locateUpstream: LocateFile,
): Promise<FetchedFile | undefined> => {
  const lease = await takeLease(fetch.table, keyOfFile(fetch), reserve.file);
  if (lease) return meanwhile(fetch.source, lease.found) ?? reserve;
  let upstream: UpstreamFile | undefined;
  const fetched = await withReserve(
    async () => {
      upstream = await locateUpstream();
      return upstream && tryToFetch(fetch, upstream);
    },
    async () => reserve,
  );
  if (fetched !== 'unfinished') return fetched;
  if (upstream) await beginInWorker(fetch, upstream);
  return reserve;
};

/** The file that the holder of the lease has fetched in the meantime, if it has. */
const meanwhile = (source: RemoteRepository, found: PackageFile | undefined): FetchedFile | undefined =>
  isLive(found) && isFresh(source, found) ? { file: found, cache: 'hit' } : undefined;
