import { ApiError } from '../errors.ts';
import { log } from '../observability/log.ts';
import { Table } from '../table/client.ts';
import { upstreamPauseKey } from '../table/keys.ts';
import { contentIdOf, type RemoteRepository } from '../table/repositories.ts';
import type { UpstreamCopy, UpstreamPause } from '../table/upstream-copies.ts';
import { UpstreamError } from '../upstream/upstream-error.ts';
import type { UpstreamResponse } from '../upstream/upstream-response.ts';
import { upstreamClientOf } from './upstream-clients.ts';

/** How an answer came about: from what was cached, from the upstream, or from what was cached because the upstream failed. */
export type CacheState = 'hit' | 'miss' | 'stale' | 'revalidated';

/** What an upstream may take for one answer, in milliseconds: the gateway waits 29 seconds, and ours to store it comes after. */
export const answerMilliseconds = 20_000;

/** What the whole of a fetch may take: the answer, and to store it. */
const fetchMilliseconds = 25_000;

/** Copies that were not confirmed for longer are served to nobody. */
const staleMillisecondsMax = 7 * 24 * 60 * 60 * 1000;

/** How long an upstream is left alone that does not say how long it wants to be, and at most, in seconds. */
const pauseSeconds = 30;
const pauseSecondsMax = 3_600;

/** The table for a fetch: it has more time, and its cost counts as the request's. */
export const forFetching = ({ usage }: Table): Table => new Table(fetchMilliseconds, usage);

/** Whether a copy that was confirmed then needs no question to the upstream; null: for ever. */
export const isFreshAt = (checkedAt: number, lifetimeMilliseconds: number | null): boolean =>
  lifetimeMilliseconds === null || checkedAt + lifetimeMilliseconds > Date.now();

/** Whether a copy is young enough to be served in place of an answer. */
export const isServableStale = ({ checkedAt }: UpstreamCopy): boolean => isFreshAt(checkedAt, staleMillisecondsMax);

/** A question to an upstream; with a copy, whether that one still holds. */
export interface Question {
  readonly source: RemoteRepository;
  readonly url: string;
  readonly content: 'file' | 'metadata';
  readonly accept?: string;
  readonly copy?: UpstreamCopy | undefined;
  /** That the upstream asked to be left alone, as it was read. */
  readonly pause: UpstreamPause | undefined;
}

/** What an upstream sent, and what a copy of it will be checked by. */
export interface UpstreamContent {
  readonly kind: 'content';
  readonly response: UpstreamResponse;
  readonly copy: UpstreamCopy;
}

/** What an upstream answered. */
export type UpstreamAnswer =
  | UpstreamContent
  | { readonly kind: 'unchanged'; readonly copy: UpstreamCopy }
  | { readonly kind: 'absent' };

/** Asks an upstream. Whatever is no answer to the question is an UpstreamError. */
export const askUpstream = async (
  table: Table,
  { source, url, content, accept, copy, pause }: Question,
): Promise<UpstreamAnswer> => {
  if (pause && pause.until > Date.now()) throw leftAlone(source, pause);
  const response = await upstreamClientOf(source).request(url, {
    content,
    headers: { accept, 'if-none-match': copy?.etag, 'if-modified-since': copy?.lastModified },
    signal: AbortSignal.timeout(answerMilliseconds),
  });
  const { status, place, body, retryAfterSeconds } = response;
  if (status === 200) return { kind: 'content', response, copy: copyOf(response) };
  body.destroy();
  if (status === 304 && copy)
    return { kind: 'unchanged', copy: { ...copy, checkedAt: Date.now(), leasedUntil: undefined } };
  if (status === 404 || status === 410) return { kind: 'absent' };
  const isDenial = status === 401 || status === 403;
  if (status === 429) await pauseUpstream(table, source, retryAfterSeconds);
  throw new UpstreamError(
    'status',
    place,
    isDenial ? 'does not accept the credentials of this repository' : 'gave no usable answer',
  );
};

const copyOf = ({ headers }: UpstreamResponse): UpstreamCopy => ({
  etag: headers.etag,
  lastModified: headers['last-modified'],
  checkedAt: Date.now(),
});

const leftAlone = ({ remoteRepositoryUrl }: RemoteRepository, { until }: UpstreamPause): UpstreamError => {
  const { host } = new URL(remoteRepositoryUrl);
  return new UpstreamError(
    'status',
    { host, status: 429 },
    `asked to be left alone until ${new Date(until).toISOString()}`,
  );
};

const pauseUpstream = async (
  table: Table,
  source: RemoteRepository,
  retryAfterSeconds = pauseSeconds,
): Promise<void> => {
  const until = Date.now() + Math.min(retryAfterSeconds, pauseSecondsMax) * 1000;
  await table.write([{ put: { ...upstreamPauseKey(contentIdOf(source)), until, expiresAt: Math.ceil(until / 1000) } }]);
};

/** Does what needs the upstream. When the upstream fails, the reserve takes its place, if there is one. */
export const withReserve = async <T>(work: () => Promise<T>, reserve?: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const isNew = error instanceof UpstreamError;
    if (isNew) log.upstreamFailure(error);
    const refusal = isNew ? refusalOf(error) : error;
    if (!reserve || !isUpstreamRefusal(refusal)) throw refusal;
    return reserve();
  }
};

/** Whether an upstream is to blame, of this or of an earlier question of the request. */
const isUpstreamRefusal = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'UPSTREAM_FAILED' || error.code === 'UPSTREAM_TIMEOUT');

/** An error of an upstream as the client sees it: its sentence begins with the host. */
const refusalOf = ({ kind, host, message }: UpstreamError): ApiError => {
  if (kind === 'timeout') return new ApiError('UPSTREAM_TIMEOUT', message);
  if (kind === 'aborted')
    return new ApiError(
      'UPSTREAM_TIMEOUT',
      `${host} did not send all of its answer within ${answerMilliseconds / 1000} seconds.`,
    );
  return new ApiError('UPSTREAM_FAILED', message);
};
