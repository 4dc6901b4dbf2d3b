import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { config } from '../../shared/config.ts';
import { ApiError } from '../../shared/errors.ts';
import { type Change, recordInsertion, recordOf } from '../../shared/table/changes.ts';
import { Table } from '../../shared/table/client.ts';
import type { Refusal, Write } from '../../shared/table/writes.ts';
import type { Reply } from './wire.ts';

const triesMax = 5;

/**
 * Asks again while the service has no time for it, after the time that it names, as clients do. What prepares a test goes
 * through here, so that a busy machine does not fail it; what measures how long the service takes does not.
 */
export const whenAvailable = async <Answer extends Pick<Reply, 'status' | 'headers'>>(
  ask: () => Promise<Answer>,
): Promise<Answer> => {
  for (let tries = 1; ; tries += 1) {
    const answer = await ask();
    if (answer.status !== 503 || tries === triesMax) return answer;
    await pause(Number(answer.headers['retry-after']) * 1000);
  }
};

const isUnavailable = (error: unknown): boolean => error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE';

/** Stores changes with their records without the SDK, which would take a tenth of the time of a suite. */
class WorldTable extends Table {
  override async write(writes: readonly Write[], change: Change): Promise<Refusal | undefined> {
    const record = recordOf(change, this.author, config.recordRetentionDays, randomUUID());
    return this.writeUnrecorded([...writes, recordInsertion(record)]);
  }
}

/** The same for what the table layer does in the process of a test. A try whose answer was lost may have been done. */
export const inTable = async <T>(work: (table: Table, isAgain: boolean) => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries += 1)
    try {
      return await work(new WorldTable(), tries > 1);
    } catch (error) {
      if (!isUnavailable(error) || tries === triesMax) throw error;
    }
};
