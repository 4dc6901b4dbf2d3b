import type { IdentityMap } from '../../table/identity-map.ts';
import type { Key } from '../../table/keys.ts';
import { fileFetchKey, fileKey, missingFileKey, upstreamPauseKey } from '../../table/packages/package-keys.ts';
import { isLive, type PackageFile } from '../../table/packages/packages.ts';
import type { MissingFile } from '../../table/packages/upstream-copies.ts';
import { contentIdOf, type RemoteRepository } from '../../table/repositories/repositories.ts';
import { publicationKeys } from '../changes/publication-store.ts';
import type { FileAddress } from '../sources/resolution.ts';
import { type UpstreamFile, withPromise } from '../upstream/upstream-body.ts';
import { type FetchRequest, forFetching, withReserve } from '../upstream/upstream-request.ts';
import {
  bytesInRequest,
  type FetchedFile,
  type FileFetching,
  fetchNow,
  isFresh,
  isKnownMissing,
  keyOfMissing,
  type UpstreamPart,
} from './file-cache.ts';
import { isServableStale } from './freshness.ts';
import { fetchOnce, type Kept, type SharedQuestion } from './single-flight.ts';

/** Returns the URL of a file at the upstream; undefined if the upstream has no such file. `read` has what was read before. */
export type LocateFile = (read?: IdentityMap) => Promise<UpstreamFile | undefined>;

/** A file to fetch. */
export interface WantedFile {
  readonly address: FileAddress;
  /** The cached copy, if there is one. */
  readonly cached: PackageFile | undefined;
  /** Set if the store has lost the bytes of the copy. */
  readonly isLost?: boolean;
  /** The part that will do as long as the file is not cached. */
  readonly part?: UpstreamPart | undefined;
  /** The keys of the items that say where the upstream has the file. They are read with those of the fetch. */
  readonly locationKeys?: readonly Key[];
}

/**
 * Fetches a file that is not cached, or whose cached copy is stale, and caches it; undefined if the upstream has no such
 * file. If a part of it will do, the result may be that part. `locateUpstream` returns its URL at the upstream. Throws UPSTREAM_FAILED
 * and UPSTREAM_TIMEOUT if there is no copy that may be served, and FILE_PENDING if the fetch takes longer than the request.
 */
export const fetchFile = async (
  request: FetchRequest,
  source: RemoteRepository,
  { address, cached, isLost = false, part, locationKeys = [] }: WantedFile,
  locateUpstream: LocateFile,
): Promise<FetchedFile | undefined> => {
  const table = forFetching(request.table);
  const ref = { contentId: contentIdOf(source), name: address.name };
  const { version, file } = address;
  const [missingKey, pauseKey] = [missingFileKey(ref, version, file), upstreamPauseKey(ref.contentId)];
  const leaseKey = fileFetchKey(ref, version, file);
  const cacheKeys = publicationKeys(ref, { version, files: [{ name: file }, ...(part ? [part] : [])] });
  const loaded = await table.read([missingKey, pauseKey, leaseKey, ...cacheKeys, ...locationKeys]);
  const found = loaded.find(fileKey(ref, version, file));
  const isNew = isLive(found) && found.copy?.checkedAt !== cached?.copy?.checkedAt;
  const copy = isNew ? found : cached;
  const fetch: FileFetching = {
    table,
    source,
    leaseKey,
    ref,
    address,
    cached: copy,
    isLost: isLost && !isNew,
    part: copy ? undefined : part,
    bytesInTime: bytesInRequest(),
    pause: loaded.find(pauseKey),
    read: loaded,
    deadline: request.deadline,
  };
  return fetchOnce({
    table,
    source,
    leaseKey,
    request,
    kept: keptOf(fetch, copy, loaded.find(missingKey)),
    lease: loaded.find(leaseKey),
    find: async () => findKept(fetch),
    locate: async () => {
      const upstream = await withReserve(async () => locateUpstream(loaded));
      return upstream && questionFor(fetch, upstream);
    },
  });
};

/** What the items say: that the upstream has no such file, or the copy that is there. */
const keptOf = (
  { source, isLost = false }: FileFetching,
  file: PackageFile | undefined,
  missing: MissingFile | undefined,
): Kept<FetchedFile | undefined> | undefined => {
  if (missing && isKnownMissing(missing))
    return { checkedAt: missing.checkedAt, isFresh: true, isServable: false, serve: () => undefined };
  if (!file?.copy) return undefined;
  const { copy } = file;
  return {
    checkedAt: copy.checkedAt,
    isFresh: !isLost && isFresh(source, file),
    isServable: !isLost && isServableStale(copy),
    serve: (cache) => ({ file, cache }),
  };
};

const findKept = async (fetch: FileFetching): Promise<Kept<FetchedFile | undefined> | undefined> => {
  const { table, ref, address, part } = fetch;
  const names = [address.file, ...(part ? [part.name] : [])];
  const files = names.map((name) => fileKey(ref, address.version, name));
  const missing = keyOfMissing(fetch);
  const loaded = await table.read([...files, missing]);
  return keptOf(fetch, files.map((key) => loaded.find(key)).find(isLive), loaded.find(missing));
};

const questionFor = (fetch: FileFetching, upstream: UpstreamFile): SharedQuestion<FetchedFile | undefined> => ({
  ask: async () => fetchNow(fetch, upstream),
  left: async () => ({
    address: fetch.address,
    upstream: await withPromise(upstream),
    ...(fetch.isLost && { isLost: true }),
  }),
});
