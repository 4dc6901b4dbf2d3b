import type { Key } from '../../table/keys.ts';
import { fileFetchKey, missingFileKey, upstreamPauseKey } from '../../table/packages/package-keys.ts';
import { isLive, type PackageFile } from '../../table/packages/packages.ts';
import { takeLease } from '../../table/packages/upstream-copies.ts';
import { isRunning } from '../../table/packages/upstream-fetches.ts';
import { contentIdOf, type RemoteRepository } from '../../table/repositories/repositories.ts';
import { publicationKeys } from '../changes/publication-store.ts';
import type { FileAddress } from '../sources/resolution.ts';
import type { UpstreamFile } from '../upstream/upstream-body.ts';
import { type FetchRequest, forFetching, isServableStale, withReserve } from '../upstream/upstream-request.ts';
import {
  bytesInRequest,
  type FetchedFile,
  type FileFetching,
  isFresh,
  isKnownMissing,
  keyOfFile,
} from './file-cache.ts';
import { fetchInTurn, type LocateFile, refreshInWorker, tryToFetch } from './file-flight.ts';

/** A file to fetch. */
export interface WantedFile {
  readonly address: FileAddress;
  /** The cached copy, if there is one. */
  readonly cached: PackageFile | undefined;
  /** Set if the store has lost the bytes of the copy. */
  readonly isLost?: boolean;
  /** The keys of the items that say where the upstream has the file. They are read with those of the fetch. */
  readonly locationKeys?: readonly Key[];
}

/**
 * Fetches a file that is not cached, or whose cached copy is stale, and caches it; undefined if the upstream has no such
 * file. `locateUpstream` returns its URL at the upstream. Throws UPSTREAM_FAILED and UPSTREAM_TIMEOUT if there is no copy that
 * may be served, and FILE_PENDING if the fetch takes longer than the request.
 */
export const fetchFile = async (
  request: FetchRequest,
  source: RemoteRepository,
  { address, cached, isLost = false, locationKeys = [] }: WantedFile,
  locateUpstream: LocateFile,
): Promise<FetchedFile | undefined> => {
  const table = forFetching(request.table);
  const ref = { contentId: contentIdOf(source), name: address.name };
  const { version, file } = address;
  const [missingKey, pauseKey] = [missingFileKey(ref, version, file), upstreamPauseKey(ref.contentId)];
  const leaseKey = fileFetchKey(ref, version, file);
  const cacheKeys = publicationKeys(ref, { version, files: [{ name: file }] });
  const loaded = await table.read([missingKey, pauseKey, leaseKey, ...cacheKeys, ...locationKeys]);
  if (isKnownMissing(loaded.find(missingKey))) return undefined;
  const fetch: FileFetching = {
    table,
    source,
    leaseKey,
    ref,
    address,
    cached,
    isLost,
    bytesInTime: bytesInRequest(),
    pause: loaded.find(pauseKey),
    read: loaded,
    deadline: request.deadline,
  };
  const found = loaded.find(keyOfFile(fetch));
  const isNew = isLive(found) && found.copy?.checkedAt !== cached?.copy?.checkedAt;
  if (isNew && isFresh(source, found)) return { file: found, cache: 'hit' };
  const known = loaded.find(leaseKey);
  if (isLost || !cached?.copy || !isServableStale(cached.copy))
    return fetchInTurn(fetch, request, known, locateUpstream);
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
      upstream = await locateUpstream(fetch.read);
      return upstream && tryToFetch(fetch, upstream);
    },
    async () => reserve,
  );
  if (fetched !== 'unfinished') return fetched;
  if (upstream) await refreshInWorker(fetch, upstream);
  return reserve;
};

/** The file that the holder of the lease has fetched in the meantime, if it has. */
const meanwhile = (source: RemoteRepository, found: PackageFile | undefined): FetchedFile | undefined =>
  isLive(found) && isFresh(source, found) ? { file: found, cache: 'hit' } : undefined;
