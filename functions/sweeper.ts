import type { Context } from 'aws-lambda';
import { chunksOf } from '../shared/chunks.ts';
import { log, logSweep } from '../shared/observability/log.ts';
import { sweepLooseFiles } from '../shared/packages/loose-files/unneeded-files.ts';
import { blobObjectKey } from '../shared/store/keys.ts';
import { deleteObject } from '../shared/store/objects.ts';
import { Table } from '../shared/table/client.ts';
import {
  findInertGrants,
  forgetRepositories,
  type GrantSearch,
  listGrantSweeps,
} from '../shared/table/identity/grant-sweeps.ts';
import { removeInertGrants } from '../shared/table/identity/grants.ts';
import { type DueBlob, endBlob, forgetBlob, listDueBlobs } from '../shared/table/packages/blobs.ts';
import { endUsage } from '../shared/table/packages/usage.ts';
import { listContentSweeps } from '../shared/table/queues/content-sweeps.ts';
import { listDueLooseSweeps } from '../shared/table/queues/loose-sweeps.ts';
import { listSweeps, sweep } from '../shared/table/queues/sweeps.ts';
import { sweepContent } from '../shared/table/repositories/swept-content.ts';

/** The number of entries that one query of a queue returns. */
const perQuery = 25;

/** The number of blobs that are removed at the same time, so that the queue of all workspaces gets on. */
const blobsAtOnce = perQuery;

/** The time that the last step may still need. */
const reserveMilliseconds = 15_000;

/** The result of one run; `pending` says whether there is work left for the next run. */
interface SweepReport {
  readonly workspaces: number;
  readonly memberships: number;
  readonly grants: number;
  readonly contents: number;
  readonly items: number;
  readonly blobs: number;
  readonly pending: boolean;
}

type Counts = { -readonly [Name in Exclude<keyof SweepReport, 'pending'>]: number };

/** What the stages of a run share. */
interface Run {
  readonly hasTime: () => boolean;
  /** Why single entries could not be worked off. */
  readonly failures: unknown[];
}

/**
 * Removes the remains of deleted workspaces and repositories, and blobs that nothing refers to, as long as there is time. Each
 * step is a transaction of its own, so an interrupted run loses nothing and the next run continues. Throws the first failure of an
 * entry at the end, so that it does not keep the others out.
 */
export const handler = async (
  _event: unknown,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<SweepReport> => {
  const done: Counts = { workspaces: 0, memberships: 0, grants: 0, contents: 0, items: 0, blobs: 0 };
  const run: Run = { hasTime: () => context.getRemainingTimeInMillis() > reserveMilliseconds, failures: [] };
  /** How far the search for the grants of one entry has come. */
  let search: { readonly of: object; readonly next: GrantSearch } | undefined;
  await drain(run, listSweeps, async (table, waiting) => {
    const { removed, done: isOver } = await sweep(table, waiting);
    done.memberships += removed;
    done.workspaces += isOver ? 1 : 0;
    return isOver;
  });
  await drain(run, listGrantSweeps, async (table, waiting) => {
    const { found, next } = await findInertGrants(table, waiting, search?.of === waiting ? search.next : undefined);
    for (const { userId, repositoryIds } of found)
      done.grants += await removeInertGrants(new Table(), waiting.workspaceId, userId, repositoryIds);
    if (next === undefined) await forgetRepositories(table, waiting);
    search = next && { of: waiting, next };
    return next === undefined;
  });
  await drain(run, listContentSweeps, async (table, waiting) => {
    // What still adds to the content is refused once its usage has ended.
    if (!(await endUsage(table, waiting.workspaceId, waiting.contentId))) return false;
    const { removed, done: isOver } = await sweepContent(table, waiting);
    done.items += removed;
    done.contents += isOver ? 1 : 0;
    return isOver;
  });
  await drain(run, listDueLooseSweeps, async (table, due) => {
    const { removed, done: isOver } = await sweepLooseFiles(table, due, run.hasTime);
    done.items += removed;
    return isOver;
  });
  await drain(
    run,
    listDueBlobs,
    async (table, due) => {
      done.blobs += await sweepBlob(table, due);
      return true;
    },
    blobsAtOnce,
  );
  const report = { ...done, pending: !run.hasTime() || run.failures.length > 0 };
  logSweep(report);
  const [failure, ...others] = run.failures;
  others.forEach(log.bestEffortFailure);
  if (failure !== undefined) throw failure;
  return report;
};

/**
 * Works off a queue, `atOnce` entries at a time and each piece by piece until its work is done, as long as there is time. An entry that
 * fails is left to the next run.
 */
const drain = async <T>(
  { hasTime, failures }: Run,
  list: (table: Table, limit: number) => Promise<readonly T[]>,
  piece: (table: Table, waiting: T) => Promise<boolean>,
  atOnce = 1,
): Promise<void> => {
  const failed = new Set<string>();
  const finish = async (entry: T): Promise<void> => {
    try {
      while (hasTime() && !(await piece(new Table(), entry)));
    } catch (error) {
      failed.add(JSON.stringify(entry));
      failures.push(error);
    }
  };
  while (hasTime()) {
    const listed = await list(new Table(), perQuery);
    const waiting = listed.filter((entry) => !failed.has(JSON.stringify(entry)));
    if (waiting.length === 0) return;
    for (const some of chunksOf(waiting, atOnce)) await Promise.all(some.map(finish));
  }
};

/** Deletes a blob that is due, unless it is needed again; returns how many objects that were. */
const sweepBlob = async (table: Table, due: DueBlob): Promise<0 | 1> => {
  const ended = await endBlob(table, due);
  if (ended) await deleteObject(blobObjectKey(ended), table.signal);
  await forgetBlob(table, due, ended);
  return ended ? 1 : 0;
};
