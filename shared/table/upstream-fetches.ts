import { randomUUID } from 'node:crypto';
import type { ErrorCode } from '../errors.ts';
import type { Table } from './client.ts';
import { heldBy, type Key } from './keys.ts';

/** The reason why a fetch failed, for the clients that wait for the file. */
export interface FetchFailure {
  readonly code: ErrorCode;
  readonly detail: string;
  /** In milliseconds. */
  readonly at: number;
}

/** The lease on fetching a file from an upstream, and the failure of the last fetch. */
export interface FileFetch {
  readonly fetchId: string;
  /** The end of the lease in milliseconds since the epoch. */
  readonly until: number;
  readonly failure?: FetchFailure;
  readonly expiresAt: number;
}

/** The lease of a request, longer than the request can last. */
const requestMilliseconds = 30_000;

/** The lease of the worker. It renews the lease before this time is over. */
const workerMilliseconds = 60_000;

/** How long a failure is shown to the clients that wait. Each of them comes back within 20 seconds. */
const failureMilliseconds = 60_000;

/** Whether a fetch of the file is running. */
export const isRunning = (fetch: FileFetch | undefined): fetch is FileFetch =>
  fetch !== undefined && fetch.until > Date.now();

/** The failure of the last fetch, as long as clients may still wait for the file. */
export const recentFailure = (fetch: FileFetch | undefined): FetchFailure | undefined =>
  fetch?.failure && fetch.failure.at + failureMilliseconds > Date.now() ? fetch.failure : undefined;

const expiryOf = (until: number): number => Math.ceil((until + failureMilliseconds) / 1000);

/** Takes the lease under a new ID; undefined if the condition fails. */
const take = async (
  table: Table,
  key: Key<FileFetch>,
  { lease, condition, values }: { lease: number; condition: string; values: Readonly<Record<`:${string}`, unknown>> },
): Promise<string | undefined> => {
  const [fetchId, until] = [randomUUID(), Date.now() + lease];
  const answer = await table.update({
    update: key,
    set: 'SET #fetchId = :fetchId, #until = :until, #expiresAt = :expiresAt REMOVE #failure',
    if: condition,
    values: { ':fetchId': fetchId, ':until': until, ':expiresAt': expiryOf(until), ...values },
  });
  // The SDK repeats a call whose reply was lost, and then meets its own lease.
  const isTaken = 'before' in answer || heldBy(key, answer.refused)?.fetchId === fetchId;
  return isTaken ? fetchId : undefined;
};

/** Begins a fetch and returns its ID; undefined if another fetch is running. */
export const beginFetch = async (table: Table, key: Key<FileFetch>): Promise<string | undefined> =>
  take(table, key, {
    lease: requestMilliseconds,
    condition: 'attribute_not_exists(#until) OR #until <= :now',
    values: { ':now': Date.now() },
  });

/** Takes a fetch over under a new ID, so that only one of two workers with the same event succeeds. */
export const takeFetchOver = async (table: Table, key: Key<FileFetch>, fetchId: string): Promise<string | undefined> =>
  take(table, key, { lease: workerMilliseconds, condition: '#fetchId = :from', values: { ':from': fetchId } });

/** Extends the lease to that of the worker. Returns false if another fetch holds it. */
export const keepFetch = async (table: Table, key: Key<FileFetch>, fetchId: string): Promise<boolean> => {
  const until = Date.now() + workerMilliseconds;
  const answer = await table.update({
    update: key,
    set: 'SET #until = :until, #expiresAt = :expiresAt',
    if: '#fetchId = :fetchId',
    values: { ':until': until, ':expiresAt': expiryOf(until), ':fetchId': fetchId },
  });
  return 'before' in answer;
};

/** Ends the lease, and stores the failure if there is one. */
export const endFetch = async (
  table: Table,
  key: Key<FileFetch>,
  fetchId: string,
  failure?: Pick<FetchFailure, 'code' | 'detail'>,
): Promise<void> => {
  const now = Date.now();
  await table.update({
    update: key,
    set: `SET #until = :ended, #expiresAt = :expiresAt${failure ? ', #failure = :failure' : ''}`,
    if: '#fetchId = :fetchId',
    values: {
      // Zero and not the current time, because the clock of the next caller may be behind.
      ':ended': 0,
      ':expiresAt': expiryOf(now),
      ':fetchId': fetchId,
      ...(failure && { ':failure': { ...failure, at: now } }),
    },
  });
};
