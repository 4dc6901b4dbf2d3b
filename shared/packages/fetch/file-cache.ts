import { config } from '../../config.ts';
import type { Table } from '../../table/client.ts';
import type { IdentityMap } from '../../table/identity-map.ts';
import type { Key } from '../../table/keys.ts';
import { fileKey, missingFileKey, type PackageRef } from '../../table/packages/package-keys.ts';
import type { PackageFile } from '../../table/packages/packages.ts';
import {
  confirmation,
  type MissingFile,
  type UpstreamCopy,
  type UpstreamPause,
} from '../../table/packages/upstream-copies.ts';
import { endWithContent } from '../../table/packages/upstream-fetches.ts';
import type { RemoteRepository } from '../../table/repositories/repositories.ts';
import type { Write } from '../../table/writes.ts';
import { UpstreamError } from '../../upstream/upstream-error.ts';
import { restoreBlob } from '../blobs/blob-storage.ts';
import { keepSmallBlob } from '../blobs/small-blobs.ts';
import type { PackagePublication } from '../changes/publication.ts';
import { storePublication } from '../changes/publication-store.ts';
import type { FileAddress } from '../sources/resolution.ts';
import {
  isPromisedForEver,
  mediaTypeOf,
  receiveFromUpstream,
  type UpstreamFile,
  withPromise,
} from '../upstream/upstream-body.ts';
import {
  askUpstream,
  type CacheState,
  type Question,
  type ReceivedAnswer,
  type UpstreamAnswer,
  type UpstreamContent,
} from '../upstream/upstream-request.ts';
import { absenceOf, isAbsentAt, isFreshAt } from './freshness.ts';
import type { Asked } from './single-flight.ts';
import type { LeasedFetch } from './worker-queue.ts';

/** A file of a remote repository, and where it comes from. */
export interface FetchedFile {
  readonly file: PackageFile;
  readonly cache: CacheState;
}

/** A part of a file that is cached as a file of its own, as long as the whole file is not cached. */
export interface UpstreamPart {
  /** The name of the part beside the file. */
  readonly name: string;
  /** Asks an upstream for the part (206). The answer may also be the whole file (200), or that there is none. */
  readonly ask: (table: Table, question: Question) => Promise<UpstreamAnswer>;
}

/** The state of one fetch. */
export interface FileFetching extends LeasedFetch {
  readonly ref: PackageRef;
  readonly address: FileAddress;
  /** The cached copy, if there is one. */
  readonly cached: PackageFile | undefined;
  /** Set if the store has lost the bytes of the copy, so that the upstream must send them again. */
  readonly isLost?: boolean;
  /** The part that will do. */
  readonly part?: UpstreamPart | undefined;
  readonly pause: UpstreamPause | undefined;
  /** The items that caching the file needs, if they were read. */
  readonly read?: IdentityMap;
  /** Aborts the exchange with the upstream. */
  readonly deadline: AbortSignal;
  /** The maximum number of bytes that can be expected before the deadline. */
  readonly bytesInTime: number;
}

/** The key of the file. */
const keyOfFile = ({ ref, address }: FileFetching): Key<PackageFile> => fileKey(ref, address.version, address.file);

/** The key of the item that says that the upstream has no such file. */
export const keyOfMissing = ({ ref, address }: FileFetching): Key<MissingFile> =>
  missingFileKey(ref, address.version, address.file);

/** Whether the file is remembered as missing. */
export const isKnownMissing = (missing: MissingFile | undefined): boolean =>
  missing !== undefined && isAbsentAt(missing.checkedAt, 'file');

/** Whether a cached file can be served without a request to the upstream. */
export const isFresh = (source: RemoteRepository, { copy }: PackageFile): boolean =>
  copy !== undefined && (copy.isImmutable === true || isFreshAt(copy.checkedAt, source.fileCacheTimeTillRevalidation));

/**
 * Fetches a file, or the part of it that will do, from the upstream and caches it, in the write that ends the lease; undefined if the
 * upstream has no such file. Throws an UpstreamError of the kind `aborted` if it does not arrive before the deadline, or is too large to.
 */
export const fetchNow = async (
  fetch: FileFetching,
  upstream: UpstreamFile,
): Promise<Asked<FetchedFile | undefined>> => {
  const { table, source, pause, cached, isLost = false, part, deadline } = fetch;
  const copy = isLost ? undefined : cached?.copy;
  // Side by side with the file.
  const promise = Promise.allSettled([withPromise(upstream)]);
  const { ask = askUpstream } = part ?? {};
  const answer = await ask(table, {
    source,
    url: upstream.url,
    otherwise: upstream.otherwise,
    content: 'file',
    accept: upstream.accept,
    copy,
    pause,
    signal: deadline,
  });
  if (answer.kind === 'content') {
    const [promised] = await promise;
    if (promised.status === 'fulfilled') return received(fetch, promised.value, answer);
    answer.response.body.destroy();
    throw promised.reason;
  }
  if (answer.kind === 'unchanged' && cached) return confirmed(fetch, cached, answer.copy);
  const missing = { put: { ...keyOfMissing(fetch), ...absenceOf('file') } };
  return { answer: undefined, hasEnded: await written(fetch, missing) };
};

/** Writes something together with the end of the lease. Returns whether its condition held. */
const written = async ({ table, leaseKey }: FileFetching, write: Write): Promise<boolean> =>
  (await table.writeUnrecorded([write, endWithContent(leaseKey)])) === undefined;

const confirmed = async (fetch: FileFetching, cached: PackageFile, copy: UpstreamCopy): Promise<Asked<FetchedFile>> => {
  const hasEnded = await written(fetch, confirmation(keyOfFile(fetch), cached, copy));
  return { answer: { file: cached, cache: 'revalidated' }, hasEnded };
};

/** The number of bytes that can be expected in a millisecond. A file above 500 MB is not expected within 20 seconds. */
const bytesPerMillisecond = 25_000;

/** The maximum number of bytes that can be expected within a request. */
export const bytesInRequest = (): number => config.upstreamAnswerMilliseconds * bytesPerMillisecond;

/** Throws an UpstreamError of the kind `aborted` if a file is too large to arrive in time. */
export const refuseTooLarge = ({ headers, body, context }: ReceivedAnswer, bytesInTime: number): void => {
  if (!(Number(headers['content-length']) > bytesInTime)) return;
  body.destroy();
  throw new UpstreamError('aborted', context, 'has a file that is too large to come in time');
};

/** Caches what the upstream sends. If two requests fetch the same bytes, one of them caches the file and both serve it. */
const received = async (
  fetch: FileFetching,
  upstream: UpstreamFile,
  { response, copy }: UpstreamContent,
): Promise<Asked<FetchedFile>> => {
  const { table, source, address, cached, bytesInTime, leaseKey } = fetch;
  const { name, version, file } = address;
  // Of which no hash is promised.
  const part = response.context.status === 206 ? fetch.part : undefined;
  refuseTooLarge(response, bytesInTime);
  const content = await receiveFromUpstream(response, part ? {} : upstream, table.signal);
  if (cached?.blob.sha256 === content.hashes.sha256) {
    await restoreBlob(table, cached.blob, content);
    return confirmed(fetch, cached, copy);
  }
  const publication: PackagePublication = {
    repository: source,
    // A download never fails because of a limit of the workspace.
    quota: {},
    name,
    displayName: name,
    version,
    files: [
      {
        name: part?.name ?? file,
        mediaType: await mediaTypeOf(upstream, response, content),
        received: content,
        copy: { ...copy, ...(isPromisedForEver(upstream) && { isImmutable: true }) },
      },
    ],
    origin: { kind: 'fetched', url: withoutQuery(upstream.url) },
    isOpen: true,
    alsoWritten: [endWithContent(leaseKey)],
    ...(upstream.loose && { loose: upstream.loose }),
  };
  const { files, isWritten } = await storePublication(table, publication, fetch.read);
  const [stored] = files;
  if (!stored) throw new Error('A publication has lost its file.');
  if (content.stagingKey === undefined) keepSmallBlob(stored.blob, await content.bytes());
  return { answer: { file: stored, cache: 'miss' }, hasEnded: isWritten };
};

/** A query may contain a credential, and every reader of the repository can see the URL. */
export const withoutQuery = (url: string): string => {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
};
