import { ApiError } from '../errors.ts';
import type { Table } from '../table/client.ts';
import { fileKey, missingFileKey, type PackageRef, upstreamPauseKey } from '../table/keys.ts';
import type { PackageFile } from '../table/packages.ts';
import { contentIdOf, type RemoteRepository } from '../table/repositories.ts';
import { confirmCopy, takeLease, type UpstreamCopy, type UpstreamPause } from '../table/upstream-copies.ts';
import {
  askUpstream,
  type CacheState,
  forFetching,
  isFreshAt,
  isServableStale,
  type UpstreamContent,
  withReserve,
} from './asking-upstream.ts';
import { publish } from './publishing.ts';
import { hasPromisedHash, receiveFromUpstream, type UpstreamFile } from './receiving-upstream.ts';
import type { FileAddress } from './resolution.ts';

/** How long a missing file is remembered as missing. */
const missingMilliseconds = 10 * 60 * 1000;

/** A file of a remote repository, and where it comes from. */
export interface FetchedFile {
  readonly file: PackageFile;
  readonly cache: CacheState;
}

/** Whether a cached file can be served without a request to the upstream. */
export const isFresh = (source: RemoteRepository, { copy }: PackageFile): boolean =>
  copy !== undefined && (copy.isImmutable === true || isFreshAt(copy.checkedAt, source.fileCacheTimeTillRevalidation));

/** The state of one fetch. */
interface Fetch {
  readonly table: Table;
  readonly source: RemoteRepository;
  readonly ref: PackageRef;
  readonly address: FileAddress;
  readonly pause: UpstreamPause | undefined;
}

/**
 * Fetches a file that is not cached, or whose cached copy is stale, and caches it; undefined if the upstream has no such
 * file. `locateUpstream` returns its URL at the upstream. Throws UPSTREAM_FAILED and UPSTREAM_TIMEOUT if there is no copy
 * that may be served.
 */
export const fetchFile = async (
  requestTable: Table,
  source: RemoteRepository,
  address: FileAddress,
  cached: PackageFile | undefined,
  locateUpstream: () => Promise<UpstreamFile | undefined>,
): Promise<FetchedFile | undefined> => {
  const table = forFetching(requestTable);
  const ref = { contentId: contentIdOf(source), name: address.name };
  const [missingKey, pauseKey] = [missingFileKey(ref, address.version, address.file), upstreamPauseKey(ref.contentId)];
  const loaded = await table.read([missingKey, pauseKey]);
  const missing = loaded.find(missingKey);
  if (missing && isFreshAt(missing.checkedAt, missingMilliseconds)) return undefined;
  const fetch = { table, source, ref, address, pause: loaded.find(pauseKey) };
  const reserve = cached?.copy && isServableStale(cached.copy) ? staleCopy(cached) : undefined;
  if (reserve) {
    const lease = await takeLease(table, keyOf(fetch), reserve.file);
    if (lease) return meanwhile(source, lease.found) ?? reserve;
  }
  return withReserve(async () => fetchedFile(fetch, cached, await locateUpstream()), reserve && (async () => reserve));
};

const keyOf = ({ ref, address }: Fetch) => fileKey(ref, address.version, address.file);

const staleCopy = (file: PackageFile): FetchedFile => ({ file, cache: 'stale' });

/** The file that the holder of the lease has fetched in the meantime, if it has. */
const meanwhile = (source: RemoteRepository, found: PackageFile | undefined): FetchedFile | undefined =>
  found && found.deletedAt === undefined && isFresh(source, found) ? { file: found, cache: 'hit' } : undefined;

const fetchedFile = async (
  fetch: Fetch,
  cached: PackageFile | undefined,
  upstream: UpstreamFile | undefined,
): Promise<FetchedFile | undefined> => {
  if (!upstream) return undefined;
  const { table, source, pause } = fetch;
  const copy = cached?.copy;
  const answer = await askUpstream(table, { source, url: upstream.url, content: 'file', copy, pause });
  if (answer.kind === 'content') return received(fetch, upstream, answer, cached);
  if (answer.kind === 'unchanged') return cached && confirmed(fetch, cached, answer.copy);
  await rememberMissing(fetch);
  return undefined;
};

const rememberMissing = async ({ table, ref, address }: Fetch): Promise<void> => {
  const checkedAt = Date.now();
  const expiresAt = Math.ceil((checkedAt + missingMilliseconds) / 1000);
  await table.write([{ put: { ...missingFileKey(ref, address.version, address.file), checkedAt, expiresAt } }]);
};

const confirmed = async (fetch: Fetch, cached: PackageFile, copy: UpstreamCopy): Promise<FetchedFile> => {
  await confirmCopy(fetch.table, keyOf(fetch), cached, copy);
  return { file: cached, cache: 'revalidated' };
};

/** Caches what the upstream sends. If two requests fetch the same bytes, one of them caches the file and both serve it. */
const received = async (
  fetch: Fetch,
  upstream: UpstreamFile,
  { response, copy }: UpstreamContent,
  cached: PackageFile | undefined,
): Promise<FetchedFile> => {
  const { table, source, address } = fetch;
  const { name, version, file } = address;
  const content = await receiveFromUpstream(response, upstream, table.signal);
  if (cached?.blob.sha256 === content.hashes.sha256) return confirmed(fetch, cached, copy);
  await publish(table, {
    repository: source,
    // A download never fails because of a limit of the workspace.
    quota: {},
    name,
    displayName: name,
    version,
    files: [
      {
        name: file,
        mediaType: upstream.mediaType,
        received: content,
        copy: { ...copy, ...(hasPromisedHash(upstream) && { isImmutable: true }) },
      },
    ],
    origin: { kind: 'fetched', url: withoutQuery(upstream.url) },
    isOpen: true,
  });
  const key = keyOf(fetch);
  const kept = (await table.read([key])).find(key);
  // Another request deleted the file at this moment. A retry of the client fetches it again.
  if (!kept || kept.deletedAt !== undefined) throw new ApiError('SERVICE_UNAVAILABLE');
  return { file: kept, cache: 'miss' };
};

/** A query may contain a credential, and every reader of the repository can see the URL. */
const withoutQuery = (url: string): string => {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
};
