import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { chunksOf } from '../chunks.ts';
import { config } from '../config.ts';
import { ApiError } from '../errors.ts';
import { isOutage } from '../outages.ts';
import { IdentityMap } from './identity-map.ts';
import { heldBy, type Item, type Key, type ListKey } from './keys.ts';
import { expression, type Refusal, refusalOf, type Update, type Write, writeAction } from './writes.ts';

/** A request ends after this, whatever the table does: the gateway would wait 29 s, its clients rarely as long. */
const requestBudgetMilliseconds = 8_000;

/** Tries of one call that meets conflicts or throttling, which the SDK does not retry inside a transaction. */
const triesMax = 10;
const pauseFirstMilliseconds = 25;
const pauseMaxMilliseconds = 800;

/** The most keys that one BatchGetItem takes. */
const batchKeysMax = 100;

/** An item of a list; its position is what follows the list's prefix in the sort key. */
export interface Positioned<T> {
  readonly position: string;
  readonly item: T;
}

/** One page of a query; `next` is the position to go on after. */
interface Page<T> {
  readonly items: readonly Positioned<T>[];
  readonly next: string | undefined;
}

/** The first text after all that begin with the prefix: its last character raised by one. */
const endOf = (prefix: string): string =>
  prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);

let client: DynamoDBDocumentClient | undefined;

const documentClient = (): DynamoDBDocumentClient => {
  client ??= makeClient();
  return client;
};

const makeClient = (): DynamoDBDocumentClient => {
  const made = new DynamoDBClient({
    maxAttempts: 3,
    retryMode: 'standard',
    // Without throwOnRequestTimeout the handler logs a warning at requestTimeout and goes on waiting.
    requestHandler: {
      connectionTimeout: 500,
      requestTimeout: 1_500,
      throwOnRequestTimeout: true,
    },
  });
  // It copies every input and output, without secrets, for a logger that there is none of.
  made.middlewareStack.remove('loggerMiddleware');
  return DynamoDBDocumentClient.from(made, { marshallOptions: { removeUndefinedValues: true } });
};

const throttles = new Set([
  'ProvisionedThroughputExceeded',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingError',
  'ThrottlingException',
]);
const conflicts = new Set(['TransactionConflict', 'TransactionConflictException', 'TransactionInProgressException']);

/** Why a call is worth another try, if it is. */
const retryReason = (error: unknown): 'conflict' | 'throttle' | undefined => {
  if (!(error instanceof Error)) return undefined;
  const reasons = error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
  const codes = [error.name, ...reasons.map((reason) => reason.Code ?? '')];
  if (codes.some((code) => conflicts.has(code))) return 'conflict';
  return codes.some((code) => throttles.has(code)) ? 'throttle' : undefined;
};

/**
 * The table as one request sees it: consistent reads and transactions inside the request's time budget. Throttling,
 * conflicts that do not pass and outages become SERVICE_UNAVAILABLE here; no error of the SDK goes further up.
 */
export class Table {
  /** What the request cost so far, for its log line. */
  readonly usage = { calls: 0, conflicts: 0, throttles: 0 };
  /** Aborts when the request's time is up: what else the request calls ends with it. */
  readonly signal: AbortSignal;

  constructor(budgetMilliseconds = requestBudgetMilliseconds) {
    this.signal = AbortSignal.timeout(budgetMilliseconds);
  }

  /** Reads items by their keys, consistently, in one round trip per 100. */
  async read(keys: readonly Key[]): Promise<IdentityMap> {
    const loaded = new IdentityMap();
    await this.readInto(loaded, keys);
    return loaded;
  }

  /**
   * Reads what `wanted` asks for, and asks again with what was loaded until nothing more is wanted: one round trip when all
   * IDs are known, one more for each level of names that this process has not met.
   */
  async readWanted(wanted: (loaded: IdentityMap) => readonly Key[]): Promise<IdentityMap> {
    const loaded = new IdentityMap();
    while (await this.readInto(loaded, wanted(loaded)));
    return loaded;
  }

  /** Reads those of the keys that were not read yet; says whether there were any. */
  private async readInto(loaded: IdentityMap, keys: readonly Key[]): Promise<boolean> {
    const missing = loaded.missing(keys);
    const batches = chunksOf([...missing.values()], batchKeysMax);
    const found = await Promise.all(batches.map((batch) => this.readBatch(batch)));
    loaded.add(missing.keys(), found.flat());
    return missing.size > 0;
  }

  private async readBatch(keys: Key[]): Promise<Item[]> {
    const found: Item[] = [];
    let unprocessed: Record<string, unknown>[] = keys.map(({ pk, sk }) => ({ pk, sk }));
    for (let attempt = 0; unprocessed.length > 0; attempt += 1) {
      if (attempt > 0) await this.backOff(attempt, 'throttle');
      const batch = {
        [config.tableName]: { Keys: unprocessed, ConsistentRead: true },
      };
      const answer = await this.call((options) =>
        documentClient().send(new BatchGetCommand({ RequestItems: batch }), options),
      );
      found.push(...((answer.Responses?.[config.tableName] ?? []) as Item[]));
      unprocessed = answer.UnprocessedKeys?.[config.tableName]?.Keys ?? [];
    }
    return found;
  }

  /** Reads the items of a list, consistently, in order. */
  async query<T>(list: ListKey<T>, page: { after?: string | undefined; limit?: number } = {}): Promise<Page<T>> {
    const { pk, prefix } = list;
    const answer = await this.call((options) =>
      documentClient().send(
        new QueryCommand({
          TableName: config.tableName,
          // Not begins_with: for that the embedded engine reads all that comes before in the partition.
          KeyConditionExpression: prefix === '' ? 'pk = :pk' : 'pk = :pk AND sk BETWEEN :prefix AND :end',
          ExpressionAttributeValues:
            prefix === '' ? { ':pk': pk } : { ':pk': pk, ':prefix': prefix, ':end': endOf(prefix) },
          ConsistentRead: true,
          Limit: page.limit,
          ExclusiveStartKey: page.after === undefined ? undefined : { pk, sk: prefix + page.after },
        }),
        options,
      ),
    );
    const positionOf = (sk: unknown): string => String(sk).slice(prefix.length);
    return {
      items: (answer.Items ?? []).map((item) => ({ position: positionOf(item.sk), item: heldBy(list, item) as T })),
      next: answer.LastEvaluatedKey && positionOf(answer.LastEvaluatedKey.sk),
    };
  }

  /**
   * Writes all or nothing. Answers with what stood in the way, by position, where a condition failed. A write whose
   * reply was lost is recognised, by the request token or by the write id of its own rows, and is no refusal.
   */
  async write(writes: readonly Write[]): Promise<Refusal | undefined> {
    const writeId = randomUUID();
    const command = {
      ClientRequestToken: writeId,
      TransactItems: writes.map((write) => writeAction(write, writeId, config.tableName)),
    };
    try {
      await this.call((options) => documentClient().send(new TransactWriteCommand(command), options));
      return undefined;
    } catch (error) {
      const refusal = refusalOf(error);
      if (!refusal) throw error;
      return refusal.some((reason) => reason?.found?.writeId === writeId) ? undefined : refusal;
    }
  }

  /** Changes one item, safe to repeat. Answers with the item as it was, or with what failed the condition. */
  async update(update: Update): Promise<{ before: Item } | { refused: Item | undefined }> {
    try {
      const { Attributes } = await this.call((options) =>
        documentClient().send(
          new UpdateCommand({
            TableName: config.tableName,
            Key: update.update,
            UpdateExpression: update.set,
            ...expression(`${update.set} ${update.if ?? ''}`, update.if, update.values, update.names),
            ReturnValues: 'ALL_OLD',
          }),
          options,
        ),
      );
      return { before: { ...update.update, ...Attributes } };
    } catch (error) {
      const refusal = refusalOf(error);
      if (!refusal) throw error;
      return { refused: refusal[0]?.found };
    }
  }

  private async call<Answer>(send: (options: { abortSignal: AbortSignal }) => Promise<Answer>): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      this.usage.calls += 1;
      try {
        return await send({ abortSignal: this.signal });
      } catch (error) {
        const reason = retryReason(error);
        if (reason === undefined && !isOutage(error)) throw error;
        if (reason === undefined || attempt === triesMax) throw unavailable(error);
        await this.backOff(attempt, reason);
      }
    }
  }

  /** Waits a random time up to a bound that doubles (full jitter), inside the budget. */
  private async backOff(attempt: number, reason: 'conflict' | 'throttle'): Promise<void> {
    this.usage[`${reason}s`] += 1;
    const bound = Math.min(pauseMaxMilliseconds, pauseFirstMilliseconds * 2 ** (attempt - 1));
    try {
      await pause(Math.random() * bound, undefined, { signal: this.signal });
    } catch (error) {
      throw unavailable(error);
    }
  }
}

const unavailable = (cause: unknown): ApiError => new ApiError('SERVICE_UNAVAILABLE', undefined, [], { cause });
