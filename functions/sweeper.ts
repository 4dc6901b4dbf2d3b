import type { Context } from 'aws-lambda';
import { log } from '../shared/observability/log.ts';
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

/**
 * Removes the remains of deleted workspaces and repositories, and blobs that nothing refers to, as long as there is time. Each
 * step is a transaction of its own, so an interrupted run loses nothing and the next run continues.
 */
export const handler = async (
  _event: unknown,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<SweepReport> => {
  const done: Counts = { workspaces: 0, memberships: 0, grants: 0, contents: 0, items: 0, blobs: 0 };
  const hasTime = () => context.getRemainingTimeInMillis() > reserveMilliseconds;
  let search: GrantSearch | undefined;
  const isDone =
    (await drained(hasTime, listSweeps, async (table, waiting) => {
      const { removed, done: isOver } = await sweep(table, waiting);
      done.memberships += removed;
      done.workspaces += isOver ? 1 : 0;
      return isOver;
    })) &&
    (await drained(hasTime, listGrantSweeps, async (table, waiting) => {
      const { found, next } = await findInertGrants(table, waiting, search);
      for (const { userId, repositoryIds } of found)
        done.grants += await removeInertGrants(new Table(), waiting.workspaceId, userId, repositoryIds);
      if (next === undefined) await forgetRepositories(table, waiting);
      search = next;
      return next === undefined;
    })) &&
    (await drained(hasTime, listContentSweeps, async (table, waiting) => {
      // What still adds to the content is refused once its usage has ended.
      if (!(await endUsage(table, waiting.workspaceId, waiting.contentId))) return false;
      const { removed, done: isOver } = await sweepContent(table, waiting);
      done.items += removed;
      done.contents += isOver ? 1 : 0;
      return isOver;
    })) &&
    (await drained(hasTime, listDueLooseSweeps, async (table, due) => {
      const { removed, done: isOver } = await sweepLooseFiles(table, due, hasTime);
      done.items += removed;
      return isOver;
    })) &&
    (await drained(hasTime, listDueBlobs, async (table, due) => {
      done.blobs += await sweepBlob(table, due);
      return true;
    }));
  const report = { ...done, pending: !isDone };
  log.sweep(report);
  return report;
};

/** Works off a queue, each entry piece by piece until its work is done; returns whether the queue is empty now. */
const drained = async <T>(
  hasTime: () => boolean,
  list: (table: Table, limit: number) => Promise<readonly T[]>,
  piece: (table: Table, waiting: T) => Promise<boolean>,
): Promise<boolean> => {
  for (;;) {
    const waiting = await list(new Table(), perQuery);
    if (waiting.length === 0) return true;
    for (const each of waiting) {
      let isDone = false;
      while (!isDone) {
        if (!hasTime()) return false;
        isDone = await piece(new Table(), each);
      }
    }
  }
};

/** Deletes a blob that is due, unless it is needed again; returns how many objects that were. */
const sweepBlob = async (table: Table, due: DueBlob): Promise<0 | 1> => {
  const ended = await endBlob(table, due);
  if (ended) await deleteObject(blobObjectKey(ended), table.signal);
  await forgetBlob(table, due, ended);
  return ended ? 1 : 0;
};
