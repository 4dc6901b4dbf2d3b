import { ApiError } from '../../errors.ts';
import { log } from '../../observability/log.ts';
import type { Key } from '../../table/keys.ts';
import {
  beginFetch,
  endWithContent,
  isRunning,
  recentFailure,
  type StagedAnswer,
  type UpstreamFetch,
  usableAnswer,
} from '../../table/packages/upstream-fetches.ts';
import { failedFetch } from '../upstream/fetch-failure.ts';
import { waitInWorkspace } from '../upstream/hanging.ts';
import { type CacheState, type FetchRequest, withReserve } from '../upstream/upstream-request.ts';
import { revalidationPauseMilliseconds } from './freshness.ts';
import { untilFound } from './polling.ts';
import { beginInWorker, concluded, handOver, type LeasedFetch, type LeftToFetch, unlessLate } from './worker-queue.ts';

/** What the store keeps of one thing of an upstream: a copy, or that the upstream has none. */
export interface Kept<T> {
  /** When the upstream last confirmed it, in milliseconds since the epoch. */
  readonly checkedAt: number;
  readonly isFresh: boolean;
  /** Whether it may be served although its time is over. */
  readonly isServable: boolean;
  readonly serve: (cache: CacheState) => T;
}

/** What the upstream answered. */
export interface Asked<T> {
  readonly answer: T;
  /** Set if a write has ended the lease already. */
  readonly hasEnded?: boolean;
  /** Keeps the answer while it is used. Returns whether that has ended the lease, too. */
  readonly keep?: () => Promise<boolean>;
}

/** A question for the upstream. */
export interface SharedQuestion<T> {
  /** Asks, and keeps the answer. Throws an UpstreamError of the kind `aborted` if it takes longer than the request. */
  readonly ask: () => Promise<Asked<T>>;
  /** What the worker asks for then. */
  readonly left: () => Promise<LeftToFetch>;
}

/** One thing of an upstream that a request wants, and the store that keeps it: files and documents have one each. */
export interface Flight<T> extends LeasedFetch {
  readonly request: FetchRequest;
  /** What the store had when the request read it. */
  readonly kept?: Kept<T> | undefined;
  /** The lease, if it was read with that. */
  readonly lease?: UpstreamFetch | undefined;
  /** Reads what the store has now. Without it, nothing is kept, and each request asks for itself. */
  readonly find?: () => Promise<Kept<T> | undefined>;
  /** Finds out what to ask, without the lease, because the index of the upstream has a cache of its own. */
  readonly locate: () => Promise<SharedQuestion<T> | undefined>;
  /** Uses an answer that the worker staged. Without it, the worker stores what it fetches. */
  readonly use?: (staged: StagedAnswer) => Promise<T>;
}

/** What is there after waiting. */
type Outcome<T> = Pick<Asked<T>, 'answer'> | undefined;

/**
 * The one way to an upstream; undefined if the upstream has no such thing.
 *
 * | the store has     | the request                                                                                         |
 * |-------------------|-----------------------------------------------------------------------------------------------------|
 * | a fresh copy      | gets it: a hit. That the upstream has none is fresh for a while, too.                               |
 * | a stale copy      | revalidates it under the lease. It gets the stale copy if another one does, or the upstream fails, or is late: then the worker goes on. |
 * | nothing           | asks under the lease. If another one does, it waits for what that one keeps, or gets the same failure. If the upstream is late, the worker goes on and the request waits. |
 * | nothing, ever     | asks for itself, without a lease; late as above.                                                    |
 *
 * Throws UPSTREAM_FAILED, UPSTREAM_TIMEOUT or UPSTREAM_BUSY without a copy that may be served, and FILE_PENDING at the deadline.
 */
export const fetchOnce = async <T>(flight: Flight<T>): Promise<T | undefined> => {
  const { kept, find } = flight;
  if (kept?.isFresh) return kept.serve('hit');
  if (kept?.isServable) return revalidated(flight, kept);
  return withReserve(async () => (find ? askInTurn(flight) : askAlone(flight)));
};

const revalidated = async <T>(flight: Flight<T>, kept: Kept<T>): Promise<T | undefined> => {
  const { request, lease, use, find } = flight;
  const stale = async (): Promise<T> => kept.serve('stale');
  if (isRunning(lease)) return stale();
  const begun = await begin(flight, request.startedAt, Date.now() - revalidationPauseMilliseconds);
  if ('fetchId' in begun) {
    const { fetchId } = begun;
    const asked = await withReserve(
      async () => askedUnderLease(flight, fetchId, flight.locate),
      async () => ({ answer: await stale() }),
    );
    return asked ? asked.answer : stale();
  }
  const staged = use && usableAnswer(begun.met, kept.checkedAt);
  if (staged) return withReserve(async () => use(staged), stale);
  const now = isRunning(begun.met) ? undefined : await find?.();
  return now?.isFresh ? now.serve('hit') : stale();
};

/** One request at a time asks; the others wait for the result and get the same failure. */
const askInTurn = async <T>(flight: Flight<T>): Promise<T | undefined> => {
  const { request, lease } = flight;
  const before = request.isWaiting || isRunning(lease) ? await outcomeOf(flight, request.isWaiting) : undefined;
  if (before) return before.answer;
  const question = await flight.locate();
  if (!question) return undefined;
  for (let seenAt: number | undefined = request.startedAt; ; seenAt = undefined) {
    const begun = await begin(flight, seenAt);
    if ('fetchId' in begun) {
      const asked = await askedUnderLease(flight, begun.fetchId, async () => question);
      return (asked ?? (await lateOutcomeOf(flight)))?.answer;
    }
    const outcome = await outcomeOf(flight, true);
    if (outcome) return outcome.answer;
  }
};

/** Each request asks, because nothing is kept. Only what the worker fetches is fetched under a lease. */
const askAlone = async <T>(flight: Flight<T>): Promise<T | undefined> => {
  const staged = await outcomeOf(flight, flight.request.isWaiting);
  if (staged) return staged.answer;
  const question = await flight.locate();
  if (!question) return undefined;
  const asked = await unlessLate(question.ask);
  if (asked) return asked.answer;
  await beginInWorker(flight, await question.left());
  return (await lateOutcomeOf(flight)).answer;
};

/** What the store kept, and what the worker staged, are taken if they are newer than the copy. */
const begin = async <T>({ table, leaseKey, kept, use }: Flight<T>, seenAt?: number, failedSince?: number) =>
  beginFetch(table, leaseKey, { seenAt, failedSince, ...(use && { copyAt: kept?.checkedAt ?? 0 }) });

/** Does work under a lease. If it fails, requests that wait for the answer get the failure. */
const underLease = async <T>(fetch: LeasedFetch, fetchId: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    await concluded(fetch, fetchId, { error });
    throw error;
  }
};

/** Asks under the lease, which ends with the answer or the failure; undefined if the worker goes on. */
const askedUnderLease = async <T>(
  flight: Flight<T>,
  fetchId: string,
  locate: Flight<T>['locate'],
): Promise<Outcome<T | undefined>> => {
  const ask = async (): Promise<Asked<T | undefined> | undefined> => {
    const question = await locate();
    const asked: Asked<T | undefined> | undefined = question ? await unlessLate(question.ask) : { answer: undefined };
    if (question && !asked) await handedOver(flight, fetchId, await question.left());
    if (asked?.keep) keepBeside(flight, fetchId, asked.keep);
    else if (asked && !asked.hasEnded) await ended(flight);
    return asked;
  };
  return underLease(flight, fetchId, async () => withReserve(ask));
};

/** Ends the lease. */
const ended = async ({ table, leaseKey }: LeasedFetch): Promise<void> => {
  await table.writeUnrecorded([endWithContent(leaseKey)]);
};

const nameOf = ({ pk, sk }: Key): string => `${pk} ${sk}`;

/** What this process keeps at the moment, by the keys of the leases. */
const keeping = new Map<string, Promise<void>>();

/** Waits until this process has kept what it keeps under a lease: a request may need a document twice. */
export const untilKept = async (leaseKey: Key): Promise<void> => keeping.get(nameOf(leaseKey));

/** Keeps an answer that is used already, and ends the lease. */
const keepBeside = (fetch: LeasedFetch, fetchId: string, keep: NonNullable<Asked<unknown>['keep']>): void => {
  const name = nameOf(fetch.leaseKey);
  const work = async (): Promise<void> =>
    underLease(fetch, fetchId, async () => {
      if (!(await keep())) await ended(fetch);
    }).finally(() => keeping.delete(name));
  keeping.set(name, fetch.table.sideWork.begin(work));
};

/** Lets the worker go on. If that fails, a copy that is there is served all the same. */
const handedOver = async <T>(flight: Flight<T>, fetchId: string, left: LeftToFetch): Promise<void> => {
  try {
    await handOver(flight, fetchId, left);
  } catch (error) {
    if (!flight.kept?.isServable) throw error;
    log.bestEffortFailure(error);
    await concluded(flight, fetchId, { error });
  }
};

/** What the running fetch leaves, if there is one. It throws its failure, unless that was there before and nobody waited for it. */
const outcomeOf = async <T>(flight: Flight<T>, hasWaited: boolean): Promise<Outcome<T>> => {
  const { table, source, leaseKey, kept, request, find, use } = flight;
  let isWaiting = hasWaited;
  const look = async (): Promise<{ readonly outcome: Outcome<T> } | undefined> => {
    const lease = (await table.read([leaseKey])).find(leaseKey);
    // After the lease: what ended it has kept the answer before.
    const now = await find?.();
    if (now && now.checkedAt !== kept?.checkedAt) return { outcome: { answer: now.serve('hit') } };
    const staged = use && usableAnswer(lease, kept?.checkedAt);
    if (staged) return { outcome: { answer: await use(staged) } };
    const failure = isWaiting && recentFailure(lease);
    if (failure) throw failedFetch(failure);
    isWaiting = true;
    return isRunning(lease) ? undefined : { outcome: undefined };
  };
  const { outcome } = await waitInWorkspace(table, source, async (crowd) =>
    untilFound(look, AbortSignal.any([request.deadline, crowd])),
  );
  return outcome;
};

/** What the worker leaves. Throws FILE_PENDING if it left nothing. */
const lateOutcomeOf = async <T>(flight: Flight<T>): Promise<Pick<Asked<T>, 'answer'>> => {
  const outcome = await outcomeOf(flight, true);
  if (!outcome) throw new ApiError('FILE_PENDING');
  return outcome;
};

/** What this process asks for at the moment and nobody keeps, by the keys of their leases. */
const asking = new Map<string, Promise<unknown>>();

/** Asks for what is not kept once, for all requests of this process that want it at the same time. */
export const askTogether = async <T>(leaseKey: Key, ask: () => Promise<T>): Promise<T> => {
  const name = nameOf(leaseKey);
  const running = asking.get(name) as Promise<T> | undefined;
  if (running) return running;
  const answer = ask().finally(() => asking.delete(name));
  asking.set(name, answer);
  return answer;
};
