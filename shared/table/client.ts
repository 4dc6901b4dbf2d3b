import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { config } from '../config.ts';
import { lazyDeadline } from '../deadlines.ts';
import { ApiError } from '../errors.ts';
import { refuseWhileReadOnly } from '../read-only.ts';
import { type Change, type ChangeRecord, recordInsertion, recordOf } from './changes.ts';
import { dynamodb } from './dynamodb-client.ts';
import type { Item } from './keys.ts';
import { ReadingTable, requestBudgetMilliseconds } from './reading-table.ts';
import { plain, stored } from './stored-items.ts';
import { callTable } from './table-calls.ts';
import { type SendTransaction, Transaction } from './transaction.ts';
import { expression, type Refusal, refusalOf, type Update, type Write } from './writes.ts';

/** What is left of the time for a write at its end, to find out whether it was done: a client that is told 503 sends it again. */
const reserveMillisecondsMax = 1_500;

/** Sends what somebody changes. */
const bySdk: SendTransaction = async (command, options) =>
  dynamodb().send(new TransactWriteItemsCommand(command), options);

/** Sends what no caller asked for: a read that fills a cache writes as often as it reads, and the SDK would take an eighth of its time. */
const byPlainCall: SendTransaction = async (command, options) => callTable('TransactWriteItems', command, options);

/**
 * The table, for one request: consistent reads and transactions within the time of the request. Throttling, lasting
 * conflicts and outages become SERVICE_UNAVAILABLE here, and no error of the SDK leaves this class.
 */
export class Table extends ReadingTable {
  private readonly reserveMilliseconds: number;
  /** When the time of the request is over, by `performance.now()`. */
  private readonly endsAt: number;
  /** Aborts before `signal`, so that a write which may be done can be looked for. */
  private readonly writeSignal: () => AbortSignal;

  constructor(milliseconds = requestBudgetMilliseconds, sameRequest?: ReadingTable, triesMax?: number) {
    super(milliseconds, sameRequest, triesMax);
    this.endsAt = performance.now() + milliseconds;
    this.reserveMilliseconds = Math.min(reserveMillisecondsMax, Math.floor(milliseconds / 4));
    this.writeSignal = lazyDeadline(milliseconds - this.reserveMilliseconds);
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
    }, bySdk);
    if (!refusal && record) this.recorded.push(record);
    return refusal;
  }

  /** Writes in the same way what no caller asked for, such as a cache, or what only prepares a change. Without writes, it does nothing. */
  async writeUnrecorded(writes: readonly Write[]): Promise<Refusal | undefined> {
    if (writes.length === 0) return undefined;
    return this.transact(() => writes, byPlainCall);
  }

  private async transact(
    writesOf: (writeId: string) => readonly Write[],
    send: SendTransaction,
  ): Promise<Refusal | undefined> {
    refuseWhileReadOnly();
    const transaction = new Transaction(writesOf, send);
    try {
      return await this.writeUntil(this.writeSignal(), transaction);
    } catch (error) {
      if (!(transaction.mayHaveWritten && error instanceof ApiError)) throw error;
      // A busy process comes here late, and then has the reserve from now on.
      const left = Math.floor(this.endsAt - performance.now());
      const late = new Table(Math.max(this.reserveMilliseconds, left), this);
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
    const command = {
      TableName: config.tableName,
      Key: stored(update.update),
      UpdateExpression: update.set,
      ...expression(`${update.set} ${update.if ?? ''}`, update.if, update.values, update.names),
      ReturnValues: 'ALL_OLD',
    };
    try {
      const { Attributes } = await this.call((options) => callTable('UpdateItem', command, options));
      return { before: { ...update.update, ...(Attributes && plain(Attributes)) } };
    } catch (error) {
      const refusal = refusalOf(error);
      if (!refusal) throw error;
      return { refused: refusal[0]?.found };
    }
  }
}
