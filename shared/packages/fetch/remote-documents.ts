import { hash } from 'node:crypto';
import { ApiError } from '../../errors.ts';
import type { Table } from '../../table/client.ts';
import type { Key } from '../../table/keys.ts';
import type { CachedDocument } from '../../table/packages/cached-documents.ts';
import {
  cachedDocumentKey,
  type DocumentName,
  documentFetchKey,
  keysOfDocument,
  packageEntryKey,
  upstreamPauseKey,
} from '../../table/packages/package-keys.ts';
import type { ReleaseTimes } from '../../table/packages/release-times.ts';
import type { UpstreamPause } from '../../table/packages/upstream-copies.ts';
import type { StagedAnswer } from '../../table/packages/upstream-fetches.ts';
import { contentIdOf, type RemoteRepository } from '../../table/repositories/repositories.ts';
import { UpstreamError } from '../../upstream/upstream-error.ts';
import type { Release } from '../releases/gate-of.ts';
import {
  askHead,
  askUpstream,
  type CacheState,
  type FetchRequest,
  forFetching,
  type Question,
  type ReceivedAnswer,
  type UpstreamAnswer,
  type UpstreamContent,
} from '../upstream/upstream-request.ts';
import { type CacheEntry, confirmDocument, keepDocument, readDocument, rememberMissing } from './document-cache.ts';
import { type DatedDocument, documentTimes, timesOfMissing } from './document-times.ts';
import { isAbsentAt, isFreshAt, isServableStale } from './freshness.ts';
import { type ParsedDocument, receiveDocument } from './received-documents.ts';
import { type Asked, askTogether, type Flight, fetchOnce, type Kept, untilKept } from './single-flight.ts';
import { answerOf } from './staged-answers.ts';
import { concluded } from './worker-queue.ts';

/** Asks an upstream for a document, of which there may be a copy. */
export type AskDocument = (
  table: Table,
  question: Question,
  kept: CachedDocument | undefined,
) => Promise<UpstreamAnswer>;

/** A document about a package at an upstream, such as a packument, and the functions that read it. */
export interface UpstreamDocument<D> extends DocumentName, DatedDocument<D>, ParsedDocument<D> {
  /**
   * Where the upstream has it. Where another document of the upstream says so, a function that is called only if the upstream is asked;
   * undefined if the upstream has no such place.
   */
  readonly url: string | ((request: FetchRequest) => Promise<string | undefined>);
  /** The URL that is asked if the upstream has nothing at the first one. */
  readonly otherwise?: string | undefined;
  readonly accept?: string;
  /** Whether the headers of an answer say everything. HEAD is sent first, and GET if they do not. The worker sends GET. */
  readonly isInHeaders?: (headers: ReceivedAnswer['headers']) => boolean;
  /** Asks for a document of which clients need no more than what is new. The worker sends GET. */
  readonly ask?: AskDocument;
}

/** A document of an upstream, and where it comes from. */
export interface LoadedDocument<D> {
  readonly cache: CacheState;
  /** It changes whenever the document changes. */
  readonly revision: string;
  /** The size of what is kept of it, before compression; 0 if an earlier release kept it. */
  readonly bytes: number;
  /** The times of what it lists, as far as they are known. */
  readonly times?: ReleaseTimes | undefined;
  /** What it lists, where other documents say the times. */
  readonly releases?: readonly Release[];
  /** Reads the document. A client that has it already costs no call of the store. */
  readonly read: () => Promise<D>;
}

/** The keys that `loadDocument` reads first. A caller that needs several documents can read the keys of all at once. */
export const documentKeys = (source: RemoteRepository, document: DocumentName): Key[] =>
  keysOfDocument(contentIdOf(source), document);

/** The state of one load: the request, the wanted document, the cached one, and the pause that the upstream requested. */
interface Load<D> extends CacheEntry {
  readonly request: FetchRequest;
  readonly wanted: UpstreamDocument<D>;
  readonly cached: CachedDocument | undefined;
  readonly pause: UpstreamPause | undefined;
  /** Set if the store has lost the cached document, so that the upstream must send it again. */
  readonly isLost?: true;
}

type Loaded<D> = LoadedDocument<D> | undefined;

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
): Promise<Loaded<D>> => {
  if (request.loadKept) return request.loadKept(source, wanted);
  const table = forFetching(request.table);
  const ref = { contentId: contentIdOf(source), name: wanted.name };
  const key = cachedDocumentKey(ref, wanted.document);
  const leaseKey = documentFetchKey(ref, wanted.document);
  await untilKept(leaseKey);
  const keys = documentKeys(source, wanted);
  const read = loaded && keys.every((each) => loaded.hasRead(each)) ? loaded : await table.read(keys);
  const isListed = read.find(packageEntryKey(ref)) !== undefined;
  const cached = source.isRemoteCacheEnabled ? read.find(key) : undefined;
  const pause = read.find(upstreamPauseKey(ref.contentId));
  return fetched({ table, source, ref, key, leaseKey, isListed, request, wanted, cached, pause });
};

/** The URL of a document, if need be from what the upstream says of itself. */
const urlOf = async <D>({ request, wanted: { url } }: Load<D>): Promise<string | undefined> =>
  typeof url === 'string' ? url : url(request);

const fetched = async <D>(load: Load<D>): Promise<Loaded<D>> => {
  const { table, source, leaseKey, request, wanted, cached } = load;
  const { name, document, otherwise, accept } = wanted;
  const flight: Flight<Loaded<D>> = {
    table,
    source,
    leaseKey,
    request,
    kept: cached && keptOf(load, cached),
    locate: async () => {
      const url = await urlOf(load);
      if (url === undefined) return undefined;
      return {
        ask: async () => answered(load, await askByHeaders(load, url)),
        left: async () => ({ name, document, url, otherwise, accept }),
      };
    },
    use: async (staged) => used(load, staged),
  };
  if (source.isRemoteCacheEnabled) return fetchOnce({ ...flight, find: async () => findKept(load) });
  return askTogether(leaseKey, async () => fetchOnce(flight));
};

const findKept = async <D>(load: Load<D>): Promise<Kept<Loaded<D>> | undefined> => {
  const found = (await load.table.read([load.key])).find(load.key);
  return found && keptOf(load, found);
};

const keptOf = <D>(load: Load<D>, item: CachedDocument): Kept<Loaded<D>> => ({
  checkedAt: item.copy.checkedAt,
  isFresh: !load.isLost && isFresh(load.source, item),
  isServable: !load.isLost && item.blob !== undefined && isServableStale(item.copy),
  serve: (cache) => served(load, item, cache),
});

const isFresh = (source: RemoteRepository, { status, copy }: CachedDocument): boolean =>
  status === 404
    ? isAbsentAt(copy.checkedAt, 'document')
    : isFreshAt(copy.checkedAt, source.metadataCacheTimeTillRevalidation);

/** The cached document. If the store has lost it, the upstream is asked for it anew. */
const served = <D>(load: Load<D>, cached: CachedDocument, cache: CacheState): Loaded<D> => {
  const { blob, bytes = 0, releases } = cached;
  if (!blob) return undefined;
  const read = async (): Promise<D> =>
    (await readDocument(load, blob, load.wanted.parse)) ?? readAnew({ ...load, cached });
  return { cache, bytes, revision: blob.sha256, times: releases, read };
};

/**
 * Asks the upstream for a document that the store has lost. It may have changed since: then the ETag of this answer is that of the
 * document before, and the client asks once more than it would have to.
 */
const readAnew = async <D>(load: Load<D>): Promise<D> => {
  const found = await fetched({ ...load, isLost: true });
  if (!found) throw new ApiError('CONTENT_LOST');
  return found.read();
};

/** Uses what the worker received. If that is no such document, the next request asks again. */
const used = async <D>(load: Load<D>, staged: StagedAnswer): Promise<Loaded<D>> => {
  try {
    const url = (await urlOf(load)) ?? load.source.remoteRepositoryUrl;
    const { answer, keep } = await answered(load, await answerOf(load, staged, url));
    await keep?.();
    return answer;
  } catch (error) {
    if (error instanceof UpstreamError) await concluded(load, staged.fetchId);
    throw error;
  }
};

/** Asks with HEAD if the headers may say everything, and with GET if they do not. */
const askByHeaders = async <D>(
  { table, source, request, wanted, cached, isLost, pause }: Load<D>,
  url: string,
): Promise<UpstreamAnswer> => {
  const { otherwise, accept, isInHeaders, ask = askUpstream } = wanted;
  const copy = isLost ? undefined : cached?.blob && cached.copy;
  const asked = { source, url, otherwise, accept, content: 'metadata' } as const;
  const question: Question = { ...asked, copy, pause, signal: request.deadline };
  const answer = isInHeaders && (await askHead(table, question));
  if (answer && (answer.kind !== 'content' || isInHeaders(answer.response.headers))) return answer;
  return ask(table, question, cached);
};

/** Serves what the upstream answered, and caches it if the cache of the repository is on. */
const answered = async <D>(load: Load<D>, answer: UpstreamAnswer): Promise<Asked<Loaded<D>>> => {
  const { source, cached } = load;
  if (answer.kind === 'content') return received(load, answer);
  if (answer.kind === 'unchanged' && cached) {
    const { copy } = answer;
    return {
      answer: served(load, { ...cached, copy }, 'revalidated'),
      hasEnded: await confirmDocument(load, cached, copy),
    };
  }
  if (!source.isRemoteCacheEnabled) return { answer: undefined };
  const releases = source.releaseGate ? await timesOfMissing(load, load.wanted, cached) : undefined;
  return { answer: undefined, hasEnded: await rememberMissing(load, cached, releases) };
};

const received = async <D>(load: Load<D>, { response, copy }: UpstreamContent): Promise<Asked<Loaded<D>>> => {
  const { source, wanted, cached: before } = load;
  const { content, packed, document } = await receiveDocument(wanted, response, source.isRemoteCacheEnabled);
  // For gates.
  const releases = source.releaseGate ? await documentTimes(load, wanted, document, before) : undefined;
  const bytes = content.length;
  const answer = { cache: 'miss', bytes, times: releases, read: async () => document } as const;
  if (!packed) return { answer: { ...answer, revision: hash('sha256', content) } };
  return {
    answer: { ...answer, revision: packed.hashes.sha256 },
    keep: async () => keepDocument(load, { packed, bytes, document, copy, releases, before }),
  };
};
