import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';

// Calls a function with one event again and again, and measures the CPU time of this process: what Lambda would run.
const [, , file = '', event = '', expected = '', calls = '400'] = process.argv;
const { handler } = createRequire(__filename)(file) as {
  handler: (event: APIGatewayProxyEvent, context: object) => Promise<APIGatewayProxyResult>;
};

const callCount = Number(calls);

const call = async (times: number): Promise<void> => {
  for (let count = 0; count < times; count += 1) {
    const { statusCode, body } = await handler(JSON.parse(event) as APIGatewayProxyEvent, {});
    if (`${statusCode}` !== expected) throw new Error(`The function answered ${statusCode}: ${body}`);
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
