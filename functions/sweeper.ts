import type { Context } from 'aws-lambda';
import { log } from '../shared/observability/log.ts';
import { Table } from '../shared/table/client.ts';
import { listSweeps, sweep } from '../shared/table/sweeps.ts';

/** The number of deleted workspaces that one query of the queue returns. */
const sweepsPerLook = 25;

/** The time that the last step may still need. */
const reserveMilliseconds = 15_000;

/** The result of one run; `pending` says whether there is work left for the next run. */
interface SweepReport {
  readonly workspaces: number;
  readonly memberships: number;
  readonly pending: boolean;
}

/**
 * Removes the remains of deleted workspaces as long as there is time. Each step is a transaction of its own, so an
 * interrupted run loses nothing and the next run continues.
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
