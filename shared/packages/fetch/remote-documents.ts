import { createHash } from 'node:crypto';
import { ApiError } from '../../errors.ts';
import type { Table } from '../../table/client.ts';
import type { Key } from '../../table/keys.ts';
import type { CachedDocument } from '../../table/packages/cached-documents.ts';
import {
  cachedDocumentKey,
  documentFetchKey,
  packageEntryKey,
  upstreamPauseKey,
} from '../../table/packages/package-keys.ts';
import { confirmCopy, takeLease, type UpstreamPause } from '../../table/packages/upstream-copies.ts';
import type { StagedAnswer } from '../../table/packages/upstream-fetches.ts';
import { contentIdOf, type RemoteRepository } from '../../table/repositories/repositories.ts';
import type { Write } from '../../table/writes.ts';
import { readMetadata } from '../../upstream/read-metadata.ts';
import { UpstreamError } from '../../upstream/upstream-error.ts';
import {
  askUpstream,
  type CacheState,
  type FetchRequest,
  forFetching,
  isFreshAt,
  isServableStale,
  type Question,
  type ReceivedAnswer,
  type UpstreamAnswer,
  type UpstreamContent,
  withReserve,
} from '../upstream/upstream-request.ts';
import { type CacheEntry, keepDocument, missingMilliseconds, readDocument, rememberMissing } from './document-cache.ts';
import { askOnce, askTogether } from './document-flight.ts';
import { answerOf, askInTime, type StagedFetch, stagedAnswer } from './staged-answers.ts';
import { concluded } from './worker-queue.ts';

/** A document about a package at an upstream, such as a packument, and the functions that read it. */
export interface UpstreamDocument<D> {
  /** The name of the package, normalised by the rules of the package type. */
  readonly name: string;
  /**
   * The name of the document within its package. A release that keeps another form of a document needs another name.
   */
  readonly document: string;
  readonly url: string;
  readonly accept?: string;
  /** Whether the headers of an answer say everything. HEAD is sent first, and GET if they do not. The worker sends GET. */
  readonly isInHeaders?: (headers: ReceivedAnswer['headers']) => boolean;
  /** Returns the part to keep. Without it, the whole answer is kept. Throws if the answer is not such a document. */
  readonly condense?: (sent: Buffer, headers?: ReceivedAnswer['headers']) => Uint8Array;
  /** Parses the kept part. Throws if it is not such a document. */
  readonly parse: (kept: Uint8Array) => D;
}

/** A document of an upstream, and where it comes from. */
export interface LoadedDocument<D> {
  readonly cache: CacheState;
  /** It changes whenever the document changes. */
  readonly revision: string;
  /** The size of what is kept of it, before compression; 0 if an earlier release kept it. */
  readonly bytes: number;
  /** Reads the document. A client that has it already costs no call of the store. */
  readonly read: () => Promise<D>;
}

/** The keys that `loadDocument` reads first. A caller that needs several documents can read the keys of all at once. */
export const documentKeys = (
  source: RemoteRepository,
  { name, document }: Pick<UpstreamDocument<unknown>, 'name' | 'document'>,
): Key[] => {
  const ref = { contentId: contentIdOf(source), name };
  return [cachedDocumentKey(ref, document), packageEntryKey(ref), upstreamPauseKey(ref.contentId)];
};

/** The state of one load: the request, the wanted document, the cached one, and the pause that the upstream requested. */
interface Load<D> extends CacheEntry {
  readonly request: FetchRequest;
  readonly wanted: UpstreamDocument<D>;
  readonly cached: CachedDocument | undefined;
  readonly pause: UpstreamPause | undefined;
  /** Set if the store has lost the cached document, so that the upstream must send it again. */
  readonly isLost?: true;
  /** The writes that end the lease of this fetch with the one that keeps its answer. */
  readonly ends?: readonly Write[];
}

/**
 * Loads a document of an upstream from the cache or from the upstream; undefined if the upstream has no such document.
 * `loaded` may contain the items of `documentKeys`. If there is no copy that may be served, it throws UPSTREAM_FAILED,
 * UPSTREAM_TIMEOUT or, if the answer takes longer than the request, FILE_PENDING.
 */
export const loadDocument = async <D>(
  request: FetchRequest,
  source: RemoteRepository,
  wanted: UpstreamDocument<D>,
  loaded = request.read,
): Promise<LoadedDocument<D> | undefined> => {
  const table = forFetching(request.table);
  const keys = documentKeys(source, wanted);
  const read = loaded && keys.every((key) => loaded.hasRead(key)) ? loaded : await table.read(keys);
  const ref = { contentId: contentIdOf(source), name: wanted.name };
  const key = cachedDocumentKey(ref, wanted.document);
  const isListed = read.find(packageEntryKey(ref)) !== undefined;
  const cached = source.isRemoteCacheEnabled ? read.find(key) : undefined;
  const pause = read.find(upstreamPauseKey(ref.contentId));
  const load: Load<D> = { table, source, ref, key, isListed, request, wanted, cached, pause };
  if (cached && isFresh(source, cached)) return kept(load, cached, 'hit');
  if (!cached?.blob || !isServableStale(cached.copy)) return withReserve(async () => asked(load, request.deadline));
  const lease = await takeLease(table, key, cached);
  if (!lease)
    return withReserve(
      // A copy is there, so nobody waits for the worker.
      async () => asked(load, AbortSignal.abort()),
      async () => kept(load, cached, 'stale'),
    );
  const now = lease.found ?? cached;
  return kept(load, now, isFresh(source, now) ? 'hit' : 'stale');
};

const isFresh = (source: RemoteRepository, { status, copy }: CachedDocument): boolean =>
  isFreshAt(copy.checkedAt, status === 404 ? missingMilliseconds : source.metadataCacheTimeTillRevalidation);

/** Reads the cached document. */
const kept = <D>(
  load: Load<D>,
  { blob, bytes = 0 }: CachedDocument,
  cache: CacheState,
): LoadedDocument<D> | undefined =>
  blob && {
    cache,
    bytes,
    revision: blob.sha256,
    read: async () => (await readDocument(load, blob, load.wanted.parse)) ?? readAnew(load),
  };

/**
 * Asks the upstream for a document that the store has lost. It may have changed since: then the ETag of this answer is that of the
 * document before, and the client asks once more than it would have to.
 */
const readAnew = async <D>(load: Load<D>): Promise<D> => {
  const found = await withReserve(async () => asked({ ...load, isLost: true }, load.request.deadline));
  if (!found) throw new ApiError('CONTENT_LOST');
  return found.read();
};

/**
 * Asks the upstream for the document, or takes what the worker received. `patience` ends the waiting for others. A repository that
 * keeps documents asks for each of them once, whoever waits for it.
 */
const asked = async <D>(load: Load<D>, patience: AbortSignal): Promise<LoadedDocument<D> | undefined> => {
  const { table, source, ref, request, wanted, cached, pause } = load;
  const { name, document, url, accept } = wanted;
  const copy = load.isLost ? undefined : cached?.blob && cached.copy;
  const leaseKey = documentFetchKey(ref, document);
  const fetch: StagedFetch = {
    table,
    source,
    leaseKey,
    copyAt: cached?.copy.checkedAt,
    seenAt: request.startedAt,
    patience,
  };
  const use = async (answer: StagedAnswer): Promise<LoadedDocument<D> | undefined> => {
    try {
      return await answered(load, await answerOf(fetch, answer, url));
    } catch (error) {
      // The next request asks again.
      if (error instanceof UpstreamError) await concluded(fetch, answer.fetchId);
      throw error;
    }
  };
  const isShared = source.isRemoteCacheEnabled && !patience.aborted;
  const staged = isShared && !request.isWaiting ? undefined : await stagedAnswer(fetch, request.isWaiting);
  if (staged) return use(staged);
  const question: Question = {
    source,
    url,
    accept,
    content: 'metadata',
    copy,
    pause,
    signal: request.deadline,
  };
  const left = { name, document, url, accept };
  const ask = async (ends: readonly Write[] = []) =>
    answered({ ...load, ends }, await askByHeaders(table, question, wanted));
  if (!isShared) return askTogether(leaseKey, async () => askInTime(fetch, left, ask, use));
  return askOnce(fetch, { left, ask, use, find: async () => keptMeanwhile(load) });
};

/** Asks with HEAD if the headers may say everything, and with GET if they do not. */
const askByHeaders = async (
  table: Table,
  question: Question,
  { isInHeaders }: Pick<UpstreamDocument<unknown>, 'isInHeaders'>,
): Promise<UpstreamAnswer> => {
  const answer = isInHeaders && (await askUpstream(table, { ...question, method: 'HEAD' }));
  const isWhole = answer && (answer.kind !== 'content' || isInHeaders(answer.response.headers));
  return isWhole ? answer : askUpstream(table, question);
};

/** What another request has kept since this one read the cache. */
const keptMeanwhile = async <D>(
  load: Load<D>,
): Promise<{ readonly kept: LoadedDocument<D> | undefined } | undefined> => {
  const { table, source, key, cached } = load;
  const found = (await table.read([key])).find(key);
  const isNew = found !== undefined && found.copy.checkedAt !== cached?.copy.checkedAt;
  return isNew && isFresh(source, found) ? { kept: kept(load, found, 'hit') } : undefined;
};

/** Serves what the upstream answered, and caches it if the cache of the repository is on. */
const answered = async <D>(load: Load<D>, answer: UpstreamAnswer): Promise<LoadedDocument<D> | undefined> => {
  const { table, source, cached, key, ends = [] } = load;
  if (answer.kind === 'content') return received(load, answer);
  if (answer.kind === 'unchanged' && cached) {
    await confirmCopy(table, key, cached, answer.copy);
    await table.writeUnrecorded(ends);
    return kept(load, cached, 'revalidated');
  }
  if (source.isRemoteCacheEnabled) await rememberMissing(load, cached, ends);
  return undefined;
};

const received = async <D>(load: Load<D>, { response, copy }: UpstreamContent): Promise<LoadedDocument<D>> => {
  const { source, wanted, cached, ends = [] } = load;
  const sent = await readMetadata(response);
  let content: Uint8Array, document: D;
  try {
    content = wanted.condense?.(sent, response.headers) ?? sent;
    document = wanted.parse(content);
  } catch (cause) {
    throw new UpstreamError(
      'protocol',
      response.context,
      'sent a document that is not valid for this package type',
      cause,
    );
  }
  const revision = source.isRemoteCacheEnabled
    ? (await keepDocument(load, { content, document, copy, before: cached, ends })).sha256
    : createHash('sha256').update(content).digest('hex');
  return { cache: 'miss', revision, bytes: content.length, read: async () => document };
};
