import { chunksOf } from '../chunks.ts';
import { config } from '../config.ts';
import { storageFull, unavailable } from '../errors.ts';
import { pauseBelow } from '../jitter.ts';
import { isOutage } from '../outages.ts';
import { type ChangeAuthor, type ChangeRecord, serviceAuthor } from './changes.ts';
import { IdentityMap } from './identity-map.ts';
import { heldBy, type Item, type Key, type ListKey } from './keys.ts';
import { indexRangeOf, rangeOf } from './list-range.ts';
import { retryReason } from './retries.ts';
import { SideWork } from './side-work.ts';
import { plain, type Stored, stored } from './stored-items.ts';
import { callTable } from './table-calls.ts';

/** A request ends after this time, whatever the table does. The gateway would wait 29 s, but few clients wait as long. */
export const requestBudgetMilliseconds = 8_000;

// After a conflict, a call is repeated as long as the request has time. With ten tries, a quarter of 50 parallel publishes failed.
/** The maximum number of tries of one call that the table throttles. */
const throttledTriesMax = 10;
const pauseFirstMilliseconds = 25;
const pauseMaxMilliseconds = 800;

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

/** What a request cost so far, and which file of a version it served, if its outcome is OK. */
interface RequestUsage {
  calls: number;
  conflicts: number;
  throttles: number;
  /** The version, and the tag that was asked for, as `servedKeyOf` names them, and the address of the client. */
  served?: { readonly version?: string; readonly tag?: string; readonly address: string } | undefined;
}

const noUsage = (): RequestUsage => ({ calls: 0, conflicts: 0, throttles: 0 });

/**
 * The table, for one request that only reads: consistent reads within the time of the request. Throttling and outages become
 * SERVICE_UNAVAILABLE here. It needs nothing of the SDK, so the bundles of the functions that only read have none of it.
 */
export class ReadingTable {
  /** What the request cost and served so far, for its log line. */
  readonly usage: RequestUsage;
  /** Aborts when the time of the request is over. Every other call of the request must end with it. */
  readonly signal: AbortSignal;

  /** Who makes the changes: the service itself, until the pipeline knows the caller. */
  author: ChangeAuthor;
  /** The records of the request so far, for its log lines. */
  readonly recorded: ChangeRecord[];
  /** What is written beside the answer of the request. */
  readonly sideWork: SideWork;

  private readonly triesMax: number;

  /** With `sameRequest`, another time for the request of that table. The SDK makes three calls of each try. */
  constructor(milliseconds = requestBudgetMilliseconds, sameRequest?: ReadingTable, triesMax = throttledTriesMax) {
    this.signal = AbortSignal.timeout(milliseconds);
    this.usage = sameRequest?.usage ?? noUsage();
    this.author = sameRequest?.author ?? serviceAuthor;
    this.recorded = sameRequest?.recorded ?? [];
    this.sideWork = sameRequest?.sideWork ?? new SideWork();
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
      const answer = await this.call((options) => callTable('BatchGetItem', request, options));
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
    const answer = await this.call((options) => callTable('Query', command, options));
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

  protected async call<Answer>(
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

  /** Waits a random time below a limit that doubles with each attempt, within the time of the request. */
  private async backOff(attempt: number, reason: 'conflict' | 'throttle', signal = this.signal): Promise<void> {
    this.usage[`${reason}s`] += 1;
    await pauseBelow(Math.min(pauseMaxMilliseconds, pauseFirstMilliseconds * 2 ** (attempt - 1)), signal);
  }
}
