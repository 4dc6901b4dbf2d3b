import type { Context } from 'aws-lambda';
import { log } from '../shared/observability/log.ts';
import { Table } from '../shared/table/client.ts';
import { listSweeps, sweep } from '../shared/table/sweeps.ts';

/** Deleted workspaces that one look at the queue brings. */
const sweepsPerLook = 25;

/** What the last piece of work may still need. */
const reserveMilliseconds = 15_000;

/** What one run did; `pending` tells whether the next run has more to do. */
interface SweepReport {
  readonly workspaces: number;
  readonly memberships: number;
  readonly pending: boolean;
}

/**
 * Removes what deleted workspaces left behind, as long as there is time. Each piece is a transaction of its own, so a run
 * that is cut off loses nothing: the next one goes on.
 */
export const handler = async (
  _event: unknown,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<SweepReport> => {
  const done = { workspaces: 0, memberships: 0 };
  const hasTime = () => context.getRemainingTimeInMillis() > reserveMilliseconds;
  for (;;) {
    const waiting = await listSweeps(new Table(), sweepsPerLook);
    for (const each of waiting) {
      let isDone = false;
      while (!isDone) {
        if (!hasTime()) return reported({ ...done, pending: true });
        const { removed, done: finished } = await sweep(new Table(), each);
        done.memberships += removed;
        isDone = finished;
      }
      done.workspaces += 1;
    }
    if (waiting.length < sweepsPerLook) return reported({ ...done, pending: false });
  }
};

const reported = (report: SweepReport): SweepReport => {
  log.sweep(report);
  return report;
};
