import { setTimeout as pause } from 'node:timers/promises';
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { chunksOf } from '../chunks.ts';
import { config } from '../config.ts';
import { ApiError, storageFull, unavailable } from '../errors.ts';
import { isOutage } from '../outages.ts';
import { refuseWhileReadOnly } from '../read-only.ts';
import {
  type Change,
  type ChangeAuthor,
  type ChangeRecord,
  recordInsertion,
  recordOf,
  serviceAuthor,
} from './changes.ts';
import { dynamodb } from './dynamodb-client.ts';
import { IdentityMap } from './identity-map.ts';
import { heldBy, type Item, type Key, type ListKey } from './keys.ts';
import { indexRangeOf, rangeOf } from './list-range.ts';
import { retryReason } from './retries.ts';
import { plain, type Stored, stored } from './stored-items.ts';
import { readTable } from './table-reads.ts';
import { Transaction } from './transaction.ts';
import { expression, type Refusal, refusalOf, type Update, type Write } from './writes.ts';

/** A request ends after this time, whatever the table does. The gateway would wait 29 s, but few clients wait as long. */
const requestBudgetMilliseconds = 8_000;

// After a conflict, a call is repeated as long as the request has time. With ten tries, a quarter of 50 parallel publishes failed.
/** The maximum number of tries of one call that the table throttles. */
const throttledTriesMax = 10;
const pauseFirstMilliseconds = 25;
const pauseMaxMilliseconds = 800;

/** What is left of the time for a write at its end, to find out whether it was done: a client that is told 503 sends it again. */
const reserveMillisecondsMax = 1_500;

/** The maximum number of keys in one BatchGetItem. */
const batchKeysMax = 100;

/** An item of a list. Its position is the rest of its sort key after the prefix of the list. */
export interface Positioned<T> {
  readonly position: string;
  readonly item: T;
}

/** One page of a query. The next page begins after the position `next`. */
interface Page<T> {
  readonly items: readonly Positioned<T>[];
  readonly next: string | undefined;
}

const noUsage = () => ({ calls: 0, conflicts: 0, throttles: 0 });

/**
 * The table, for one request: consistent reads and transactions within the time of the request. Throttling, lasting
 * conflicts and outages become SERVICE_UNAVAILABLE here, and no error of the SDK leaves this class.
 */
export class Table {
  /** The cost of the request so far, for its log line. */
  readonly usage: { calls: number; conflicts: number; throttles: number };
  /** Aborts when the time of the request is over. Every other call of the request must end with it. */
  readonly signal: AbortSignal;
  private readonly writeSignal: AbortSignal;
  private readonly reserveMilliseconds: number;

  /** Who makes the changes: the service itself, until the pipeline knows the caller. */
  author: ChangeAuthor;
  /** The records of the request so far, for its log lines. */
  readonly recorded: ChangeRecord[];

  private readonly triesMax: number;

  /** With `sameRequest`, another time for the request of that table. The SDK makes three calls of each try. */
  constructor(milliseconds = requestBudgetMilliseconds, sameRequest?: Table, triesMax = throttledTriesMax) {
    this.signal = AbortSignal.timeout(milliseconds);
    this.reserveMilliseconds = Math.min(reserveMillisecondsMax, Math.floor(milliseconds / 4));
    this.writeSignal = AbortSignal.timeout(milliseconds - this.reserveMilliseconds);
    this.usage = sameRequest?.usage ?? noUsage();
    this.author = sameRequest?.author ?? serviceAuthor;
    this.recorded = sameRequest?.recorded ?? [];
    this.triesMax = triesMax;
  }

  /** Reads items by their keys, consistently, in one round trip for every 100. Those in `loaded` are not read again. */
  async read(keys: readonly Key[], loaded = new IdentityMap()): Promise<IdentityMap> {
    await this.readInto(loaded, keys);
    return loaded;
  }

  /**
   * Reads the keys that `wanted` returns, and calls it again with the items until it returns no new key. This takes one
   * round trip if all IDs are known, and one more for each level of names that the process does not know.
   */
  async readWanted(wanted: (loaded: IdentityMap) => readonly Key[]): Promise<IdentityMap> {
    const loaded = new IdentityMap();
    while (await this.readInto(loaded, wanted(loaded)));
    return loaded;
  }

  /** Reads the keys that were not read yet, and returns whether there were any. */
  private async readInto(loaded: IdentityMap, keys: readonly Key[]): Promise<boolean> {
    const missing = loaded.missing(keys);
    const batches = chunksOf([...missing.values()], batchKeysMax);
    const found = await Promise.all(batches.map((batch) => this.readBatch(batch)));
    loaded.add(missing.keys(), found.flat());
    return missing.size > 0;
  }

  private async readBatch(keys: Key[]): Promise<Item[]> {
    const found: Item[] = [];
    let unprocessed: Stored[] = keys.map(({ pk, sk }) => stored({ pk, sk }));
    for (let attempt = 0; unprocessed.length > 0; attempt += 1) {
      if (attempt > 0) await this.backOff(attempt, 'throttle');
      const request = { RequestItems: { [config.tableName]: { Keys: unprocessed, ConsistentRead: true } } };
      const answer = await this.call((options) => readTable('BatchGetItem', request, options));
      found.push(...(answer.Responses?.[config.tableName] ?? []).map(plain));
      unprocessed = answer.UnprocessedKeys?.[config.tableName]?.Keys ?? [];
    }
    return found;
  }

  /** Reads the items of a list in order; consistently, unless the list is in an index. */
  async query<T>(list: ListKey<T>, page: { after?: string | undefined; limit?: number } = {}): Promise<Page<T>> {
    const { pk, prefix, index } = list;
    const start = page.after === undefined ? undefined : stored({ pk, sk: prefix + page.after });
    const { ExpressionAttributeValues: values, ...range } = index
      ? indexRangeOf(list, index, page.after)
      : { ...rangeOf(list), ConsistentRead: true, ExclusiveStartKey: start };
    const command = {
      TableName: config.tableName,
      ...range,
      ExpressionAttributeValues: stored(values),
      Limit: page.limit,
    };
    const answer = await this.call((options) => readTable('Query', command, options));
    const positionOf = ({ sk }: Item): string => sk.slice(prefix.length);
    return {
      items: (answer.Items ?? [])
        .map(plain)
        // BETWEEN takes its end in, which does not begin with the prefix.
        .filter((item) => item.sk.startsWith(prefix))
        .map((item) => ({ position: positionOf(item), item: heldBy(list, item) as T })),
      next: answer.LastEvaluatedKey && positionOf(plain(answer.LastEvaluatedKey)),
    };
  }

  /**
   * Writes a change and its record, all or nothing. If conditions fail, it returns the items that they met, by position. If
   * the reply of a successful write was lost, the request token or the write ID of its rows shows that, and it is not a
   * refusal. A try that was refused for a conflict leaves nothing, so the next one has a record with its own time.
   */
  async write(writes: readonly Write[], change: Change): Promise<Refusal | undefined> {
    let record: ChangeRecord | undefined;
    const refusal = await this.transact((writeId) => {
      record = recordOf(change, this.author, config.recordRetentionDays, writeId);
      return [...writes, recordInsertion(record)];
    });
    if (!refusal && record) this.recorded.push(record);
    return refusal;
  }

  /** Writes in the same way what no caller asked for, such as a cache, or what only prepares a change. Without writes, it does nothing. */
  async writeUnrecorded(writes: readonly Write[]): Promise<Refusal | undefined> {
    if (writes.length === 0) return undefined;
    return this.transact(() => writes);
  }

  private async transact(writesOf: (writeId: string) => readonly Write[]): Promise<Refusal | undefined> {
    refuseWhileReadOnly();
    const transaction = new Transaction(writesOf);
    try {
      return await this.writeUntil(this.writeSignal, transaction);
    } catch (error) {
      if (!(transaction.mayHaveWritten && error instanceof ApiError)) throw error;
      // A busy process comes here late: the reserve begins now.
      const late = new Table(this.reserveMilliseconds, this);
      if (transaction.isIn(await late.read(transaction.rows))) return undefined;
      return late.writeUntil(late.signal, transaction);
    }
  }

  private async writeUntil(end: AbortSignal, transaction: Transaction): Promise<Refusal | undefined> {
    try {
      await this.call((options) => transaction.send(options), end);
      return undefined;
    } catch (error) {
      const refusal = refusalOf(error);
      if (!refusal) throw error;
      return transaction.othersIn(refusal);
    }
  }

  /**
   * Changes one item, and writes no record; the update must be safe to repeat. Returns the item before the change, or the item that failed the
   * condition.
   */
  async update(update: Update): Promise<{ before: Item } | { refused: Item | undefined }> {
    refuseWhileReadOnly();
    try {
      const { Attributes } = await this.call((options) =>
        dynamodb().send(
          new UpdateItemCommand({
            TableName: config.tableName,
            Key: stored(update.update),
            UpdateExpression: update.set,
            ...expression(`${update.set} ${update.if ?? ''}`, update.if, update.values, update.names),
            ReturnValues: 'ALL_OLD',
          }),
          options,
        ),
      );
      return { before: { ...update.update, ...(Attributes && plain(Attributes)) } };
    } catch (error) {
      const refusal = refusalOf(error);
      if (!refusal) throw error;
      return { refused: refusal[0]?.found };
    }
  }

  private async call<Answer>(
    send: (options: { abortSignal: AbortSignal }) => Promise<Answer>,
    end = this.signal,
  ): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      this.usage.calls += 1;
      try {
        return await send({ abortSignal: end });
      } catch (error) {
        const reason = retryReason(error);
        if (reason === undefined && !isOutage(error)) throw error;
        // The words of SQLite, on which the embedded engine stands.
        if (/\bdisk is full\b/.test(String(error))) throw storageFull(error);
        if (reason === undefined || (reason === 'throttle' && attempt >= this.triesMax)) throw unavailable(error);
        await this.backOff(attempt, reason, end);
      }
    }
  }

  /** Waits a random time below a limit that doubles with each attempt (full jitter), within the time of the request. */
  private async backOff(attempt: number, reason: 'conflict' | 'throttle', signal = this.signal): Promise<void> {
    this.usage[`${reason}s`] += 1;
    const bound = Math.min(pauseMaxMilliseconds, pauseFirstMilliseconds * 2 ** (attempt - 1));
    try {
      await pause(Math.random() * bound, undefined, { signal });
    } catch (error) {
      throw unavailable(error);
    }
  }
}
