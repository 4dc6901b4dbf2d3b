import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { type LoopbackServer, serveOnLoopback } from './loopback-server.ts';

/** The lines of all groups together that are kept, the newest, and their length. */
const linesMax = 20_000;
const bytesMax = 16 * 1024 * 1024;

/** So many lines one call looks at, as CloudWatch Logs does not look at all at once either. */
const lookedAtMax = 5_000;

interface KeptLine {
  readonly position: number;
  readonly group: string;
  readonly timestamp: number;
  readonly message: string;
}

interface FilterRequest {
  readonly logGroupName?: string;
  readonly filterPattern?: string;
  readonly startTime?: number;
  readonly endTime?: number;
  readonly limit?: number;
  readonly nextToken?: string;
}

/** Replaces CloudWatch Logs locally: `FilterLogEvents` of its wire protocol, over what the functions wrote since the start. */
export class LogService {
  private readonly lines: KeptLine[] = [];
  private bytes = 0;
  private count = 0;

  /** Keeps a line of a log group. The oldest lines go. */
  keep(group: string, message: string): void {
    this.lines.push({ position: this.count, group, timestamp: Date.now(), message });
    this.count += 1;
    this.bytes += message.length;
    while (this.lines.length > linesMax || this.bytes > bytesMax) this.bytes -= this.lines.shift()?.message.length ?? 0;
  }

  start(): Promise<LoopbackServer> {
    return serveOnLoopback((request, response) => void this.answer(request, response));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const respond = (status: number, body: object) =>
      response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
    try {
      const body = (await json(request)) as FilterRequest;
      if (request.headers['x-amz-target'] !== 'Logs_20140328.FilterLogEvents')
        respond(400, { __type: 'UnknownOperationException' });
      else respond(200, this.filter(body));
    } catch {
      respond(400, { __type: 'InvalidParameterException' });
    }
  }

  private filter({ logGroupName, filterPattern, startTime, endTime, limit = 10_000, nextToken = '0' }: FilterRequest) {
    const fits = matcherOf(filterPattern);
    const [from, to] = [startTime ?? 0, endTime ?? Number.POSITIVE_INFINITY];
    const left = this.lines.filter(({ group, position }) => group === logGroupName && position >= Number(nextToken));
    const events: KeptLine[] = [];
    let looked = 0;
    for (const line of left) {
      if (looked === lookedAtMax || events.length === limit) break;
      looked += 1;
      if (line.timestamp >= from && line.timestamp <= to && fits(line.message)) events.push(line);
    }
    const next = left[looked];
    return {
      events: events.map(({ timestamp, message }) => ({ timestamp, message })),
      ...(next && { nextToken: `${next.position}` }),
    };
  }
}

/** What a pattern asks for: members of JSON that equal texts, or one of several in brackets. This service knows no other pattern. */
const matcherOf = (pattern = ''): ((message: string) => boolean) => {
  const [, terms] = /^\{ (.+) \}$/.exec(pattern) ?? [];
  const wanted = terms
    ?.split(' && ')
    .map((term) =>
      (/^\((.+)\)$/.exec(term)?.[1] ?? term).split(' || ').map((each) => /^\$\.([\w.]+) = "([^"*]*)"$/.exec(each)),
    );
  if (!wanted?.flat().every((each) => each !== null))
    throw new Error(`The local log does not know the pattern '${pattern}'.`);
  return (message) =>
    wanted.every((any) => any.some((each) => valueAt(message, each?.[1]?.split('.') ?? []) === each?.[2]));
};

/** A member of a line; undefined if the line is no JSON. */
const valueAt = (message: string, path: readonly string[]): unknown => {
  if (!message.startsWith('{')) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(message);
  } catch {
    return undefined;
  }
  return path.reduce<unknown>(
    (found, name) =>
      typeof found === 'object' && found !== null ? (found as Record<string, unknown>)[name] : undefined,
    value,
  );
};
