import { log } from '../observability/log.ts';
import type { Table } from '../table/client.ts';
import type { Key } from '../table/keys.ts';
import { upstreamPauseKey } from '../table/package-keys.ts';
import { contentIdOf, type RemoteRepository } from '../table/repositories.ts';
import type { UpstreamPause } from '../table/upstream-copies.ts';
import {
  beginHanging,
  endHanging,
  isCrowded,
  isOpen,
  noteAnswer,
  noteSilence,
  takeProbe,
} from '../table/upstream-outages.ts';
import { UpstreamError } from '../upstream/upstream-error.ts';
import type { Ask, UpstreamResponse } from '../upstream/upstream-response.ts';

/** A question for an upstream, and its state in the table as the request has read it. */
export interface GuardedQuestion {
  readonly table: Table;
  readonly source: RemoteRepository;
  readonly pause: UpstreamPause | undefined;
  readonly signal: AbortSignal;
}

interface Circuit extends GuardedQuestion {
  readonly key: Key<UpstreamPause>;
  readonly isProbe: boolean;
}

/** What is written beside the answers of this process. */
const settling = new Set<Promise<void>>();

/** Waits until everything is written that answers have left: Lambda freezes the process between two requests. */
export const settled = async (): Promise<void> => void (await Promise.all(settling));

/** Best effort: a failure of the table must not fail the request, too. */
const settle = async (work: () => Promise<void>): Promise<void> => {
  const done: Promise<void> = work()
    .catch((error: unknown) => log.bestEffortFailure(error))
    .finally(() => settling.delete(done));
  settling.add(done);
  return done;
};

const isSilence = (error: unknown): boolean =>
  error instanceof UpstreamError && (error.kind === 'timeout' || error.kind === 'unreachable');

const hostOf = ({ remoteRepositoryUrl }: RemoteRepository): string => new URL(remoteRepositoryUrl).host;

/** The failure of an upstream that is not asked before this time. */
export const pauseError = (source: RemoteRepository, pause: UpstreamPause): UpstreamError => {
  const { until: retryAt } = pause;
  const time = new Date(retryAt).toISOString();
  const host = hostOf(source);
  return isOpen(pause)
    ? new UpstreamError(
        'timeout',
        { host, retryAt },
        `did not answer the last requests, and is not asked until ${time}`,
      )
    : new UpstreamError('status', { host, status: 429, retryAt }, `accepts no requests until ${time}`);
};

const crowdedError = (source: RemoteRepository): UpstreamError =>
  new UpstreamError('crowded', { host: hostOf(source) }, 'has not answered the many requests that wait for it already');

/** Whether this request alone asks an upstream after its pause. Throws if it must not be asked. */
const probing = async ({ table, source, pause }: GuardedQuestion, key: Key<UpstreamPause>): Promise<boolean> => {
  if (pause && pause.until > Date.now()) throw pauseError(source, pause);
  if (isCrowded(pause)) throw crowdedError(source);
  if (!pause || !isOpen(pause)) return false;
  const taken = await takeProbe(table, key, pause);
  if (taken?.found && isOpen(taken.found)) throw pauseError(source, taken.found);
  return !taken;
};

const answered = async ({ table, key, isProbe, pause }: Circuit): Promise<void> => {
  if (isProbe || pause?.silences) await settle(async () => noteAnswer(table, key, isProbe));
};

const failed = async (circuit: Circuit, error: unknown): Promise<void> => {
  const { table, key, isProbe } = circuit;
  if (isSilence(error)) await settle(async () => noteSilence(table, key, isProbe));
  else if (error instanceof UpstreamError && error.kind !== 'aborted') await answered(circuit);
};

/** An answer is one when its body has come, too. */
const followBody = async (circuit: Circuit, { method, status, body }: UpstreamResponse & Pick<Ask, 'method'>) => {
  if (status !== 200 || method === 'HEAD') return answered(circuit);
  body.once('end', () => void answered(circuit));
  body.once('error', (error) => void failed(circuit, error));
};

/**
 * Asks an upstream, unless its circuit is open or very many questions hang. What it leaves without an answer is counted in the item
 * that holds its pauses, for all processes. An upstream that answers in time costs no call of the table.
 */
export const throughBreaker = async (
  question: GuardedQuestion,
  method: Ask['method'],
  ask: (guard: Pick<Ask, 'signal' | 'onHang'>) => Promise<UpstreamResponse>,
): Promise<UpstreamResponse> => {
  const { table, source, signal } = question;
  const key = upstreamPauseKey(contentIdOf(source));
  const circuit: Circuit = { ...question, key, isProbe: await probing(question, key) };
  const crowd = new AbortController();
  let isOver = false;
  const taken: Promise<boolean>[] = [];
  const take = async (): Promise<boolean> => {
    const isFree = await beginHanging(table, key);
    if (!isFree && !isOver) crowd.abort();
    return isFree;
  };
  const onHang = (): void => {
    if (taken.length === 0) taken.push(take().catch(() => false));
  };
  try {
    const response = await ask({ signal: AbortSignal.any([signal, crowd.signal]), onHang });
    await followBody(circuit, { ...response, method });
    return response;
  } catch (error) {
    if (crowd.signal.aborted) throw crowdedError(source);
    await failed(circuit, error);
    throw error;
  } finally {
    isOver = true;
    if (await taken[0]) await settle(async () => endHanging(table, key));
  }
};
