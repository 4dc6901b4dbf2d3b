import { callService } from './service-calls.ts';

/** Where a search goes on: the place of a log group in the list, and what CloudWatch Logs gave for its next part. */
export interface SearchPosition {
  readonly group: number;
  readonly token?: string | undefined;
}

/** A search through log groups, one after the other. Times are milliseconds since the epoch. */
export interface LogSearch {
  readonly groups: readonly string[];
  /** A filter pattern of CloudWatch Logs for JSON. */
  readonly pattern: string;
  readonly since: number;
  readonly until: number;
}

/** A line of a log, and when it was written. */
export interface FoundLine {
  readonly timestamp: number;
  readonly message: string;
}

interface Answer {
  readonly events?: readonly FoundLine[];
  readonly nextToken?: string;
}

/** For so long one request searches, in milliseconds: the next one goes on from there. */
const searchMilliseconds = 4_000;

const silenceMilliseconds = 3_000;

/** A group that is gone has no line. */
const isGone = (error: unknown): boolean => error instanceof Error && error.name === 'ResourceNotFoundException';

/**
 * `FilterLogEvents` of CloudWatch Logs (docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_FilterLogEvents): the lines of one
 * group that fit, as many as it finds at once, perhaps none although there are more. Throws SERVICE_UNAVAILABLE.
 */
const filterLines = async (
  { groups, pattern, since, until }: LogSearch,
  { group, token }: SearchPosition,
  limit: number,
  signal: AbortSignal,
): Promise<Answer> => {
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'Logs_20140328.FilterLogEvents' };
  const body = JSON.stringify({
    logGroupName: groups[group],
    filterPattern: pattern,
    startTime: since,
    endTime: until,
    limit,
    nextToken: token,
  });
  const call = { service: 'logs', path: '/', headers, body, expected: 200, silenceMilliseconds } as const;
  try {
    return JSON.parse(await callService(call, signal)) as Answer;
  } catch (error) {
    if (isGone(error)) return {};
    throw error;
  }
};

/** At most so many lines that fit, and where to go on; undefined at the end. It returns what it has after some seconds. */
export const searchLogs = async (
  search: LogSearch,
  start: SearchPosition,
  wanted: number,
  signal: AbortSignal,
): Promise<{ readonly lines: readonly FoundLine[]; readonly next: SearchPosition | undefined }> => {
  const end = Date.now() + searchMilliseconds;
  const lines: FoundLine[] = [];
  let at = start;
  while (at.group < search.groups.length) {
    const { events = [], nextToken } = await filterLines(search, at, wanted - lines.length, signal);
    lines.push(...events);
    at = nextToken === undefined ? { group: at.group + 1 } : { group: at.group, token: nextToken };
    if (lines.length >= wanted || Date.now() > end) break;
  }
  return { lines, next: at.group < search.groups.length ? at : undefined };
};
