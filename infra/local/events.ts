import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type AttributeValue, DynamoDBClient, paginateQuery } from '@aws-sdk/client-dynamodb';
import { positionAt, recordShards } from '../../shared/table/changes.ts';
import { tableSchema } from '../../shared/table/schema.ts';
import { credentialsOf } from './credentials.ts';
import { appendLines, lastWritten, readPosition, writePosition } from './event-files.ts';
import { local, type Resource } from './template.ts';

/** The pipe of the stack: which writes become events, and what is in them. */
export interface PipeDefinition {
  readonly pattern: unknown;
  readonly template: string;
  readonly source: string;
  readonly detailType: string;
}

/** The pipe that a template has. */
export const pipeDefinition = ({ properties }: Resource): PipeDefinition => {
  const { SourceParameters, TargetParameters } = properties as {
    SourceParameters: { FilterCriteria: { Filters: { Pattern: string }[] } };
    TargetParameters: {
      InputTemplate: string;
      EventBridgeEventBusParameters: { Source: string; DetailType: string };
    };
  };
  const { Source: source, DetailType: detailType } = TargetParameters.EventBridgeEventBusParameters;
  const [filter] = SourceParameters.FilterCriteria.Filters;
  return {
    pattern: JSON.parse(filter?.Pattern ?? '{}') as unknown,
    template: TargetParameters.InputTemplate,
    source,
    detailType,
  };
};

interface EventsOptions {
  readonly engineUrl: string;
  readonly tableName: string;
  readonly dataDirectory: string;
  readonly pipe: PipeDefinition;
  readonly complain: (line: string) => void;
}

/** A write as the stream of a table tells it. */
export interface StreamRecord {
  readonly eventName: 'INSERT';
  readonly dynamodb: {
    readonly Keys: Readonly<Record<string, AttributeValue | undefined>>;
    readonly NewImage: Readonly<Record<string, AttributeValue>>;
  };
}

const pollMilliseconds = 2_000;

/** After so many failures in a row, what fails is told once. */
const failuresMax = 3;

/** A record has the time at which its transaction began, and no request takes as long as this. */
const settledMilliseconds = 60_000;

/** Whether a value matches an event pattern, as far as the pattern of the stack needs. */
const matches = (pattern: unknown, value: unknown): boolean => {
  if (Array.isArray(pattern)) return pattern.some((each) => matchesOne(each, value));
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(pattern as object).every(([name, part]) => matches(part, (value as Fields)[name]));
};

type Fields = Readonly<Record<string, unknown>>;

const matchesOne = (pattern: unknown, value: unknown): boolean =>
  typeof pattern === 'object' && pattern !== null && 'prefix' in pattern
    ? String(value).startsWith(String(pattern.prefix))
    : pattern === value;

const valueAt = (path: string, from: unknown): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Fields | undefined)?.[name], from);

/** An event as EventBridge delivers it. */
interface LocalEvent extends Fields {
  readonly id: string;
}

/** The event of a write, as EventBridge would deliver it. */
const eventOf = ({ template, source, detailType }: PipeDefinition, record: StreamRecord): LocalEvent => {
  const detail = template.replaceAll(/<\$\.([^>]+)>/g, (_, path: string) =>
    JSON.stringify(valueAt(path, record) ?? ''),
  );
  const { recordId, recordedAt, ...others } = JSON.parse(detail) as Fields;
  return {
    version: '0',
    id: String(recordId),
    'detail-type': detailType,
    source,
    account: local.accountId,
    time: String(recordedAt).replace(/\.\d+Z$/, 'Z'),
    region: local.region,
    resources: [],
    detail: { ...others, recordId, recordedAt },
  };
};

/** Reads the records since a time, oldest first, as the stream of the table would tell their writes. */
const recordsSince = async (client: DynamoDBClient, TableName: string, time: number): Promise<StreamRecord[]> => {
  const { name: IndexName, partitionKey } = tableSchema.recordsIndex;
  const found: StreamRecord[] = [];
  for (let shard = 0; shard < recordShards; shard += 1)
    for await (const { Items = [] } of paginateQuery(
      { client },
      {
        TableName,
        IndexName,
        KeyConditionExpression: '#partition = :shard AND sk BETWEEN :newest AND :oldest',
        ExpressionAttributeNames: { '#partition': partitionKey },
        ExpressionAttributeValues: {
          ':shard': { S: String(shard) },
          ':newest': { S: 'RECORD#' },
          ':oldest': { S: `RECORD#${positionAt(time)}~` },
        },
      },
    ))
      for (const item of Items)
        found.push({ eventName: 'INSERT', dynamodb: { Keys: { pk: item.pk, sk: item.sk }, NewImage: item } });
  const position = ({ dynamodb }: StreamRecord): string => dynamodb.Keys.sk?.S ?? '';
  return found.toSorted((one, other) => (position(one) < position(other) ? 1 : -1));
};

/**
 * Appends the events of the stack to `events.ndjson` in the data directory, one line of JSON each, until `stop`. The stream of the
 * embedded engine makes each write slower the longer it is, so the records are read from their index: those of the last minute
 * again and again, each written once. After a restart it continues where it ended.
 */
export const startEvents = async ({ engineUrl, tableName, dataDirectory, pipe, complain }: EventsOptions) => {
  const [file, positionFile] = [join(dataDirectory, 'events.ndjson'), join(dataDirectory, 'events.place')];
  const client = new DynamoDBClient({
    endpoint: engineUrl,
    region: local.region,
    credentials: credentialsOf('runner'),
  });
  const last = lastWritten(file);
  const { until = last.at(-1)?.[1] ?? 0, written: before = {} } = readPosition(positionFile);
  let [from, written] = [until, new Map([...Object.entries(before), ...last.map(([id]) => [id, Date.now()] as const)])];
  const take = async (): Promise<void> => {
    const startedAt = Date.now();
    const records = await recordsSince(client, tableName, Math.max(0, from - settledMilliseconds));
    const events = records
      .filter((record) => matches(pipe.pattern, record))
      .map((record) => eventOf(pipe, record))
      .filter(({ id }) => !written.has(id));
    const { count, failure } = appendLines(
      file,
      events.map((event) => JSON.stringify(event)),
    );
    // What is not written is read again later, however long that takes.
    if (!failure) from = startedAt;
    if (count > 0) {
      const appended = events.slice(0, count).map(({ id }) => [id, startedAt] as const);
      const isRecent = ([, time]: readonly [string, number]): boolean => time >= from - 2 * settledMilliseconds;
      written = new Map([...written, ...appended].filter(isRecent));
    }
    if (failure) throw failure;
    if (count > 0) writePosition(positionFile, { until: from, written: Object.fromEntries(written) });
  };
  const stopping = new AbortController();
  const run = async (): Promise<void> => {
    for (let failures = 0; !stopping.signal.aborted; ) {
      try {
        await take();
        failures = 0;
      } catch (error) {
        failures += 1;
        // One failure can be that of an engine that ends, which is told elsewhere.
        if (failures === failuresMax) complain(`Events are not written to ${file}: ${(error as Error).message}`);
      }
      await pause(pollMilliseconds, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const running = run();
  return {
    stop: async (): Promise<void> => {
      stopping.abort();
      await running;
      // What cannot be read any more is written after the next start.
      await take().catch(() => {});
      client.destroy();
    },
  };
};
