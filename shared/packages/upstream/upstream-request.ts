import { config } from '../../config.ts';
import { lazyDeadline } from '../../deadlines.ts';
import { ApiError, type ErrorCode } from '../../errors.ts';
import { storeMilliseconds } from '../../limits.ts';
import { log } from '../../observability/log.ts';
import { Table } from '../../table/client.ts';
import type { IdentityMap } from '../../table/identity-map.ts';
import { type DocumentName, upstreamPauseKey } from '../../table/packages/package-keys.ts';
import type { ReleaseTimes } from '../../table/packages/release-times.ts';
import { pauseSecondsMax, type UpstreamCopy, type UpstreamPause } from '../../table/packages/upstream-copies.ts';
import { notePause } from '../../table/packages/upstream-outages.ts';
import { contentIdOf, type RemoteRepository } from '../../table/repositories/repositories.ts';
import { UpstreamError } from '../../upstream/upstream-error.ts';
import { isDenial, type PostedBody, type UpstreamResponse } from '../../upstream/upstream-response.ts';
import { throughBreaker } from './circuit-breaker.ts';
import { failedFetch } from './fetch-failure.ts';
import { upstreamClientOf } from './upstream-clients.ts';
import { denialOf } from './upstream-denials.ts';

/**
 * Where an answer comes from. `hit`: from the cache, without a request to the upstream. `miss`: from the upstream.
 * `revalidated`: from the cache, after the upstream confirmed it. `stale`: from the cache, although its time is over.
 */
export type CacheState = 'hit' | 'miss' | 'stale' | 'revalidated';

/** A signal that aborts when the time for one answer of an upstream is over, body included. */
const answerDeadline = (): AbortSignal => AbortSignal.timeout(config.upstreamAnswerMilliseconds);

/** The time without requests after a 429 if the upstream sends no Retry-After. */
const pauseSeconds = 30;

/** A table client with the time limit of a fetch. Its calls are logged with those of the request. */
export const forFetching = (table: Table): Table =>
  new Table(config.upstreamAnswerMilliseconds + storeMilliseconds, table);

/** The parts of a request that a fetch needs. */
export interface FetchRequest {
  readonly table: Table;
  /** Aborts when the request must be answered, even if the upstream has not sent everything yet. */
  readonly deadline: AbortSignal;
  /** Whether the client was redirected here to wait. */
  readonly isWaiting: boolean;
  /** Before the cache was read, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** Items that were read for this fetch before. */
  readonly read?: IdentityMap;
  /** Set if no upstream may be asked: loads the kept copy of a document. */
  readonly loadKept?: LoadKept;
}

/** A document of an upstream, as far as its kept copy needs to be known. */
export interface KeptName<D> extends DocumentName {
  readonly parse: (kept: Uint8Array) => D;
}

/** The kept copy of a document, however old it is. */
export interface KeptCopy<D> {
  readonly cache: 'hit';
  readonly revision: string;
  readonly bytes: number;
  readonly times: ReleaseTimes | undefined;
  readonly read: () => Promise<D>;
}

/** Loads the kept copy of a document; undefined if the upstream had none. Throws NotKept. */
export type LoadKept = <D>(source: RemoteRepository, document: KeptName<D>) => Promise<KeptCopy<D> | undefined>;

/** Nothing is kept of a document, and no upstream may be asked for it. */
export class NotKept extends Error {}

/** What work that reads kept documents alone results in; undefined if one of them is not kept. */
export const ifKept = async <T>(work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof NotKept) return undefined;
    throw error;
  }
};

/** What a fetch needs of a request. The parameter `wait` is set if the client was redirected here to wait. */
export const fetchRequest = (call: {
  readonly table: Table;
  readonly query?: { readonly wait?: number | undefined };
}): FetchRequest => {
  const deadline = lazyDeadline(config.upstreamAnswerMilliseconds);
  return {
    table: call.table,
    get deadline() {
      return deadline();
    },
    isWaiting: call.query?.wait !== undefined,
    startedAt: Date.now(),
  };
};

/** A request to an upstream. With a copy, it is a conditional request (RFC 9110 section 13). */
export interface Question {
  readonly source: RemoteRepository;
  readonly url: string;
  /** The URL that is asked if the upstream has nothing at the first one. */
  readonly otherwise?: string | undefined;
  readonly content: 'file' | 'metadata';
  readonly accept?: string | undefined;
  readonly method?: 'HEAD' | undefined;
  /** What is sent with POST. */
  readonly sent?: PostedBody;
  readonly copy?: UpstreamCopy | undefined;
  /** The part that is asked for. The answer may be that part (206), or the whole. */
  readonly range?: string;
  /** The pause that the upstream requested, as the table has it. */
  readonly pause: UpstreamPause | undefined;
  /** Ends the exchange. The default is the deadline of one answer, from now on. */
  readonly signal?: AbortSignal;
}

/** The answer of an upstream, or what the worker received of it. */
export type ReceivedAnswer = Pick<UpstreamResponse, 'headers' | 'url' | 'context' | 'body'>;

/** The content that an upstream sent, and the validators to keep with a copy of it. */
export interface UpstreamContent {
  readonly kind: 'content';
  readonly response: ReceivedAnswer;
  readonly copy: UpstreamCopy;
}

/** The answer of an upstream: content, a confirmation of the copy (304), or that there is nothing (404, 410). */
export type UpstreamAnswer =
  | UpstreamContent
  | { readonly kind: 'unchanged'; readonly copy: UpstreamCopy }
  | { readonly kind: 'absent' };

/** Sends a request to an upstream. Throws an UpstreamError for any other status, and if there is no answer. */
export const askUpstream = async (table: Table, question: Question): Promise<UpstreamAnswer> => {
  const { source, url, otherwise, content, accept, method, sent, copy, range, pause } = question;
  const { signal = answerDeadline() } = question;
  const response = await throughBreaker({ table, source, pause, signal }, method, async (guard) =>
    upstreamClientOf(source).request(url, {
      method,
      sent,
      content,
      headers: { accept, 'if-none-match': copy?.etag, 'if-modified-since': copy?.lastModified, range },
      readsDenials: true,
      ...guard,
    }),
  );
  const { status, context, body, retryAfterSeconds } = response;
  if (status === 200 || (status === 206 && range !== undefined))
    return { kind: 'content', response, copy: copyOf(response) };
  if (isDenial(status)) throw await denialOf(source, response);
  body.destroy();
  if (status === 304 && copy) return { kind: 'unchanged', copy: { ...copy, checkedAt: Date.now() } };
  if (status === 404 || status === 410)
    return otherwise === undefined
      ? { kind: 'absent' }
      : askUpstream(table, { ...question, url: otherwise, otherwise: undefined });
  const retryAt = status === 429 ? await pauseUpstream(table, source, retryAfterSeconds) : undefined;
  throw new UpstreamError('status', { ...context, retryAt }, status === 508 ? loop : 'gave no usable answer');
};

/** The statuses with which servers refuse HEAD and no GET: no such method, and addresses that are signed for GET. */
const headRefusals: ReadonlySet<number | undefined> = new Set([403, 405, 501]);

/** Asks with HEAD; undefined if the upstream refuses that. */
export const askHead = async (
  table: Table,
  question: Omit<Question, 'method'>,
): Promise<UpstreamAnswer | undefined> => {
  try {
    return await askUpstream(table, { ...question, method: 'HEAD' });
  } catch (error) {
    if (error instanceof UpstreamError && headRefusals.has(error.status)) return undefined;
    throw error;
  }
};

/** What 508 says (RFC 5842 section 7.2), and this service in its own loops. */
const loop = 'leads back to a service that has passed this request on';

const copyOf = ({ headers }: UpstreamResponse): UpstreamCopy => ({
  etag: headers.etag,
  lastModified: headers['last-modified'],
  checkedAt: Date.now(),
});

/** Remembers the pause for all requests of the repository. Returns its end. */
const pauseUpstream = async (
  table: Table,
  source: RemoteRepository,
  retryAfterSeconds = pauseSeconds,
): Promise<number> => {
  const until = Date.now() + Math.min(retryAfterSeconds, pauseSecondsMax) * 1000;
  await notePause(table, upstreamPauseKey(contentIdOf(source)), until);
  return until;
};

/**
 * Does work that needs an upstream. If the upstream fails or takes too long, it returns the result of `reserve` instead.
 * Without a reserve, it throws UPSTREAM_FAILED or UPSTREAM_TIMEOUT.
 */
export const withReserve = async <T>(work: () => Promise<T>, reserve?: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const isNew = error instanceof UpstreamError;
    if (isNew) log.upstreamFailure(error);
    const refusal = isNew ? refusalOf(error) : error;
    if (!reserve || !(isUpstreamRefusal(refusal) || isPending(refusal))) throw refusal;
    return await reserve();
  }
};

const refusals: ReadonlySet<ErrorCode> = new Set(['UPSTREAM_FAILED', 'UPSTREAM_TIMEOUT', 'UPSTREAM_BUSY']);

/** Whether an upstream failed. The refusal may come from an inner `withReserve`, such as that of a packument. */
export const isUpstreamRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && refusals.has(error.code);

/** Whether an answer of an upstream takes longer than the request. */
export const isPending = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'FILE_PENDING';

/** The refusal that a client gets for the failure of an upstream. Its sentence begins with the host. */
const refusalOf = ({ kind, host, message, retryAt }: UpstreamError): ApiError => {
  if (kind === 'timeout' || kind === 'unreachable')
    return failedFetch({ code: 'UPSTREAM_TIMEOUT', detail: message, retryAt });
  if (kind === 'crowded') return new ApiError('UPSTREAM_BUSY', message);
  if (kind === 'aborted') return new ApiError('UPSTREAM_TIMEOUT', `${host} did not send all of its answer in time.`);
  return failedFetch({ code: 'UPSTREAM_FAILED', detail: message, retryAt });
};
