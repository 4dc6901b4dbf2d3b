import { randomUUID } from 'node:crypto';
import type { TransactWriteItemsCommandInput } from '@aws-sdk/client-dynamodb';
import { config } from '../config.ts';
import type { IdentityMap } from './identity-map.ts';
import type { Key } from './keys.ts';
import { isSurelyUnwritten } from './retries.ts';
import { type Refusal, type Write, type Written, writeAction } from './writes.ts';

interface SendOptions {
  readonly abortSignal: AbortSignal;
}

/** Sends a transaction to the table, and repeats that where it may help. */
export type SendTransaction = (command: TransactWriteItemsCommandInput, options: SendOptions) => Promise<unknown>;

/** One transaction over all its tries. Its token and the write ID on its rows recognise a try whose answer was lost. */
export class Transaction {
  /** Whether a try may have succeeded: then each further one is the same request. */
  mayHaveWritten = false;
  private readonly writesOf: (writeId: string) => readonly Write[];
  private readonly sendCommand: SendTransaction;
  private writeId = '';
  private writes: readonly Write[] = [];
  private command: TransactWriteItemsCommandInput | undefined;

  /** After a try that has surely written nothing, the writes are made anew. */
  constructor(writesOf: (writeId: string) => readonly Write[], sendCommand: SendTransaction) {
    this.writesOf = writesOf;
    this.sendCommand = sendCommand;
  }

  async send(options: SendOptions): Promise<void> {
    this.command ??= this.newCommand();
    try {
      await this.sendCommand(this.command, options);
    } catch (error) {
      // Once a try may have succeeded, only its own request token can tell.
      this.mayHaveWritten ||= !isSurelyUnwritten(error);
      if (!this.mayHaveWritten) this.command = undefined;
      throw error;
    }
  }

  /** What stood in the way, unless it is what this transaction has written itself. */
  othersIn(refusal: Refusal): Refusal | undefined {
    return refusal.some((reason) => reason?.found?.writeId === this.writeId) ? undefined : refusal;
  }

  /** The keys of the rows that get the write ID. */
  get rows(): readonly Key<Written>[] {
    return this.writes.flatMap((write) => {
      if ('insert' in write) return [write.insert as Key<Written>];
      return 'replace' in write ? [write.replace as Key<Written>] : [];
    });
  }

  /** Whether one of the rows has the write ID: then the transaction is done. */
  isIn(read: IdentityMap): boolean {
    return this.rows.some((row) => read.find(row)?.writeId === this.writeId);
  }

  private newCommand(): TransactWriteItemsCommandInput {
    this.writeId = randomUUID();
    this.writes = this.writesOf(this.writeId);
    const actions = this.writes.map((write) => writeAction(write, this.writeId, config.tableName));
    return { ClientRequestToken: this.writeId, TransactItems: actions };
  }
}
