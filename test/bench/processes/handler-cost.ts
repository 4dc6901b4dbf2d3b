import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { APIGatewayProxyResult } from 'aws-lambda';

/** The event of API Gateway or of a function URL, as far as it is changed here. */
interface Event {
  headers: Record<string, string>;
  multiValueHeaders?: Record<string, string[]>;
}

// Calls a function with one event again and again, and measures the CPU time of this process: what Lambda would run. Where 304 is
// expected, the event has the ETag of the first answer from then on.
const [, , file = '', event = '', expected = '', calls = '400'] = process.argv;
const { handler } = createRequire(__filename)(file) as {
  handler: (event: Event, context: object) => Promise<APIGatewayProxyResult>;
};

const callCount = Number(calls);
let etag: string | undefined;

const nextEvent = (): Event => {
  const next = JSON.parse(event) as Event;
  if (etag === undefined) return next;
  next.headers['if-none-match'] = etag;
  if (next.multiValueHeaders) next.multiValueHeaders['if-none-match'] = [etag];
  return next;
};

const call = async (times: number): Promise<void> => {
  for (let count = 0; count < times; count += 1) {
    const { statusCode, body, headers } = await handler(nextEvent(), {});
    const isFirst = expected === '304' && etag === undefined;
    if (isFirst) etag = String(headers?.ETag);
    if (`${statusCode}` !== (isFirst ? '200' : expected))
      throw new Error(`The function answered ${statusCode}: ${body}`);
  }
};

const measure = async (): Promise<void> => {
  const began = performance.now();
  await call(1);
  const firstMilliseconds = performance.now() - began;
  await call(callCount / 2);
  const before = process.cpuUsage();
  await call(callCount);
  const { user, system } = process.cpuUsage(before);
  const megabytes = process.resourceUsage().maxRSS / 1024;
  writeSync(3, `${JSON.stringify({ microseconds: (user + system) / callCount, firstMilliseconds, megabytes })}\n`);
};

void measure();
