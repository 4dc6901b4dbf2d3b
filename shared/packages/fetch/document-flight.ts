import { ApiError } from '../../errors.ts';
import type { Key } from '../../table/keys.ts';
import {
  beginFetch,
  beginUnstagedFetch,
  endWithContent,
  isRunning,
  recentFailure,
  type StagedAnswer,
  usableAnswer,
} from '../../table/packages/upstream-fetches.ts';
import type { Write } from '../../table/writes.ts';
import { failedFetch } from '../upstream/fetch-failure.ts';
import { withReserve } from '../upstream/upstream-request.ts';
import { untilFound } from './polling.ts';
import { type StagedFetch, stagedAnswer } from './staged-answers.ts';
import { concluded, handOver, type LeftToFetch, requireUnfinished } from './worker-queue.ts';

/** A question for an upstream that one request at a time asks, while the others wait for what it keeps in the cache. */
export interface SharedQuestion<T> {
  /** What the worker asks for if the answer takes longer than the request. */
  readonly left: LeftToFetch;
  /** Asks the upstream. `ends` end the lease, in the write that keeps the answer. */
  readonly ask: (ends: readonly Write[]) => Promise<T>;
  /** Uses what the worker staged. */
  readonly use: (staged: StagedAnswer) => Promise<T>;
  /** The answer that another request has kept in the meantime. */
  readonly find: () => Promise<{ readonly kept: T } | undefined>;
}

/** Asks an upstream, unless another request is asking: then it waits for the same answer, or gets the same failure. */
export const askOnce = async <T>(fetch: StagedFetch, question: SharedQuestion<T>): Promise<T> => {
  const { table, leaseKey, copyAt } = fetch;
  for (let { seenAt } = fetch; ; seenAt = Number.MAX_SAFE_INTEGER) {
    const begun = await beginUnstagedFetch(table, leaseKey, seenAt);
    if ('fetchId' in begun) return askUnderLease(fetch, begun.fetchId, question);
    const usable = usableAnswer(begun.met, copyAt);
    if (usable) return question.use(usable);
    // What is staged is too old to be used.
    const fetchId = isRunning(begun.met) ? undefined : await beginFetch(table, leaseKey, seenAt);
    if (fetchId !== undefined) return askUnderLease(fetch, fetchId, question);
    const outcome = await outcomeOf(fetch, question);
    if (outcome !== 'given up') return 'staged' in outcome ? question.use(outcome.staged) : outcome.kept;
  }
};

/** What this process asks for at the moment and nobody keeps, by the keys of their leases. */
const asking = new Map<string, Promise<unknown>>();

/** Asks for what is not kept once, for all requests of this process that want it at the same time. */
export const askTogether = async <T>({ pk, sk }: Key, ask: () => Promise<T>): Promise<T> => {
  const name = `${pk} ${sk}`;
  const running = asking.get(name) as Promise<T> | undefined;
  if (running) return running;
  const answer = ask().finally(() => asking.delete(name));
  asking.set(name, answer);
  return answer;
};

const askUnderLease = async <T>(
  fetch: StagedFetch,
  fetchId: string,
  { left, ask, use }: SharedQuestion<T>,
): Promise<T> => {
  try {
    const inTime = await withReserve(async () => unlessLate(async () => ask([endWithContent(fetch.leaseKey)])));
    if (inTime) return inTime.answer;
    await handOver(fetch, fetchId, left);
  } catch (error) {
    await concluded(fetch, fetchId, { error });
    throw error;
  }
  const staged = await stagedAnswer(fetch, true);
  if (!staged) throw new ApiError('FILE_PENDING');
  return use(staged);
};

/** The answer, unless it takes longer than the request. */
const unlessLate = async <T>(ask: () => Promise<T>): Promise<{ readonly answer: T } | undefined> => {
  try {
    return { answer: await ask() };
  } catch (error) {
    requireUnfinished(error);
    return undefined;
  }
};

/** Waits for the answer that another request or the worker gets. */
const outcomeOf = async <T>(
  { table, leaseKey, copyAt, patience }: StagedFetch,
  { find }: SharedQuestion<T>,
): Promise<{ readonly kept: T } | { readonly staged: StagedAnswer } | 'given up'> =>
  untilFound(async () => {
    const state = (await table.read([leaseKey])).find(leaseKey);
    // After the lease: what ended it has kept the answer before.
    const found = await find();
    if (found) return found;
    const staged = usableAnswer(state, copyAt);
    if (staged) return { staged };
    const failure = recentFailure(state);
    if (failure) throw failedFetch(failure);
    return isRunning(state) ? undefined : 'given up';
  }, patience);
