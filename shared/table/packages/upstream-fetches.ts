import { randomUUID } from 'node:crypto';
import type { ErrorCode } from '../../errors.ts';
import type { Table } from '../client.ts';
import { heldBy, type Key } from '../keys.ts';
import type { Update } from '../writes.ts';
import type { UpstreamCopy } from './upstream-copies.ts';

/** The reason why a fetch failed, for the clients that wait for its answer. */
export interface FetchFailure {
  readonly code: ErrorCode;
  readonly detail: string;
  /** In milliseconds. */
  readonly at: number;
  /** When the upstream may be asked again, in milliseconds since the epoch, if it said so. */
  readonly retryAt?: number | undefined;
}

/** An answer that took longer than a request. The worker put it into the staging area for the requests that wait for it. */
export interface StagedAnswer {
  /** The fetch that staged it. */
  readonly fetchId: string;
  /** The object that contains the bytes as the upstream sent them; absent if the upstream has nothing (404, 410). */
  readonly stagingKey?: string;
  readonly contentEncoding?: string;
  /** Where a document was after redirects, without its query, which may be secret; absent if it was where it was asked for. */
  readonly redirectedTo?: string;
  /** Set for a file. */
  readonly mediaType?: string;
  /** Its time is that at which the answer was complete. */
  readonly copy: UpstreamCopy;
}

/** The lease on fetching a file or a document from an upstream, and what the last fetch left. */
export interface UpstreamFetch {
  readonly fetchId: string;
  /** The end of the lease in milliseconds since the epoch. */
  readonly until: number;
  readonly failure?: FetchFailure;
  readonly staged?: StagedAnswer;
  /** When the last fetch stored what it had fetched, in milliseconds since the epoch. */
  readonly storedAt?: number;
  readonly expiresAt: number;
}

/** The lease of a request, longer than the request can last. */
const requestMilliseconds = 30_000;

/** The lease of the worker. It renews the lease before this time is over. */
const workerMilliseconds = 60_000;

/** How long a failure is shown to the clients that wait. Each of them comes back within 20 seconds. */
const failureMilliseconds = 60_000;

/** How long a staged answer serves everybody who asks for the same: as long as the URL of a download. */
const stagedMilliseconds = 300_000;

/** How long it serves them if the upstream has nothing. */
const absenceMilliseconds = 60_000;

/** How long it can replace an older copy in the cache. The lifecycle of the bucket removes its object after two days. */
const replacementMilliseconds = 86_400_000;

/** Whether a fetch is running. */
export const isRunning = (fetch: UpstreamFetch | undefined): fetch is UpstreamFetch =>
  fetch !== undefined && fetch.until > Date.now();

/** The failure of the last fetch, as long as clients may still wait for the file. */
export const recentFailure = (fetch: UpstreamFetch | undefined): FetchFailure | undefined =>
  fetch?.failure && fetch.failure.at + failureMilliseconds > Date.now() ? fetch.failure : undefined;

/** The time before which a staged answer is not used any more, or is older than the copy in the cache (0 without one). */
const unusableBefore = (copyAt: number, isAbsence: boolean): number => {
  const whileThere = copyAt === 0 ? stagedMilliseconds : replacementMilliseconds;
  return Math.max(copyAt, Date.now() - (isAbsence ? absenceMilliseconds : whileThere));
};

/** The staged answer, if it is newer than the copy in the cache or, without a copy, new enough for everybody. */
export const usableAnswer = (fetch: UpstreamFetch | undefined, copyAt = 0): StagedAnswer | undefined => {
  const { staged } = fetch ?? {};
  if (!staged) return undefined;
  return staged.copy.checkedAt > unusableBefore(copyAt, staged.stagingKey === undefined) ? staged : undefined;
};

const expiryOf = (until: number): number => Math.ceil((until + failureMilliseconds) / 1000);

/** The ID of a fetch that begins, or the lease that prevented it. */
export type Begun = { readonly fetchId: string } | { readonly met: UpstreamFetch | undefined };

/** Takes the lease under a new ID, unless the condition fails. */
const take = async (
  table: Table,
  key: Key<UpstreamFetch>,
  { lease, condition, values }: { lease: number; condition: string; values: Readonly<Record<`:${string}`, unknown>> },
): Promise<Begun> => {
  const [fetchId, until] = [randomUUID(), Date.now() + lease];
  const answer = await table.update({
    update: key,
    set: 'SET #fetchId = :fetchId, #until = :until, #expiresAt = :expiresAt REMOVE #failure, #staged, #storedAt',
    if: condition,
    values: { ':fetchId': fetchId, ':until': until, ':expiresAt': expiryOf(until), ...values },
  });
  // The SDK repeats a call whose reply was lost, and then meets its own lease.
  const met = 'before' in answer ? undefined : heldBy(key, answer.refused);
  return 'before' in answer || met?.fetchId === fetchId ? { fetchId } : { met };
};

const nobodyFetches = '(attribute_not_exists(#until) OR #until <= :now)';

/** Whoever read the cache before the last fetch stored something finds that by reading it again. */
const nothingWasStored = '(attribute_not_exists(#storedAt) OR #storedAt < :seenAt)';

const nothingIsStaged =
  '(attribute_not_exists(#staged) OR #staged.#copy.#checkedAt <= :unusable OR (attribute_not_exists(#staged.#stagingKey) AND #staged.#copy.#checkedAt <= :forgotten))';

const nothingHasFailed = '(attribute_not_exists(#failure) OR #failure.#at <= :failedSince)';

/** What keeps a fetch from beginning beside one that is running. All times are in milliseconds since the epoch. */
export interface Obstacles {
  /** The time before the cache was read, if what was stored since is to be found there. */
  readonly seenAt?: number | undefined;
  /** When the copy in the cache was confirmed, or 0 without one, if an answer that is staged in place of it is to be used. */
  readonly copyAt?: number | undefined;
  /** The time since which no fetch may have failed. */
  readonly failedSince?: number | undefined;
}

/** Begins a fetch, unless another one is running, or has left what is an obstacle. */
export const beginFetch = async (
  table: Table,
  key: Key<UpstreamFetch>,
  { seenAt, copyAt, failedSince }: Obstacles = {},
): Promise<Begun> => {
  const conditions = [nobodyFetches];
  const values: Record<`:${string}`, number> = { ':now': Date.now() };
  if (seenAt !== undefined) {
    conditions.push(nothingWasStored);
    values[':seenAt'] = seenAt;
  }
  if (copyAt !== undefined) {
    conditions.push(nothingIsStaged);
    values[':unusable'] = unusableBefore(copyAt, false);
    values[':forgotten'] = unusableBefore(copyAt, true);
  }
  if (failedSince !== undefined) {
    conditions.push(nothingHasFailed);
    values[':failedSince'] = failedSince;
  }
  return take(table, key, { lease: requestMilliseconds, condition: conditions.join(' AND '), values });
};

/** Takes a fetch over under a new ID, so that only one of two workers with the same event succeeds. */
export const takeFetchOver = async (
  table: Table,
  key: Key<UpstreamFetch>,
  fetchId: string,
): Promise<string | undefined> => {
  const lease = { lease: workerMilliseconds, condition: '#fetchId = :from', values: { ':from': fetchId } };
  const begun = await take(table, key, lease);
  return 'fetchId' in begun ? begun.fetchId : undefined;
};

/** Extends the lease to that of the worker. Returns false if another fetch holds it. */
export const keepFetch = async (table: Table, key: Key<UpstreamFetch>, fetchId: string): Promise<boolean> => {
  const until = Date.now() + workerMilliseconds;
  const answer = await table.update({
    update: key,
    set: 'SET #until = :until, #expiresAt = :expiresAt',
    if: '#fetchId = :fetchId',
    values: { ':until': until, ':expiresAt': expiryOf(until), ':fetchId': fetchId },
  });
  return 'before' in answer;
};

/**
 * Ends the lease in the transaction that stores what was fetched. It has no condition: if another fetch has taken the lease over,
 * it finds what is stored now.
 */
export const endWithContent = (key: Key<UpstreamFetch>): Update => ({
  update: key,
  set: 'SET #until = :ended, #storedAt = :now, #expiresAt = :expiresAt REMOVE #failure, #staged',
  values: { ':ended': 0, ':now': Date.now(), ':expiresAt': expiryOf(Date.now()) },
});

/** What a fetch leaves for the clients that wait for it. */
export interface FetchOutcome {
  readonly failure?: Omit<FetchFailure, 'at'>;
  readonly staged?: StagedAnswer;
}

/** Ends the lease, and stores its outcome in place of the last one. */
export const endFetch = async (
  table: Table,
  key: Key<UpstreamFetch>,
  fetchId: string,
  { failure, staged }: FetchOutcome = {},
): Promise<void> => {
  const now = Date.now();
  const kept = { ...(failure && { failure: { ...failure, at: now } }), ...(staged && { staged }) };
  const names = Object.keys(kept);
  const dropped = ['failure', 'staged'].filter((name) => !names.includes(name));
  await table.update({
    update: key,
    set: `SET #until = :ended, #expiresAt = :expiresAt${names.map((name) => `, #${name} = :${name}`).join('')} REMOVE ${dropped.map((name) => `#${name}`).join(', ')}`,
    if: '#fetchId = :fetchId',
    values: {
      // Zero and not the current time, because the clock of the next caller may be behind.
      ':ended': 0,
      ':expiresAt': expiryOf(staged ? now + replacementMilliseconds : now),
      ':fetchId': fetchId,
      ...Object.fromEntries(Object.entries(kept).map(([name, value]) => [`:${name}`, value])),
    },
  });
};
