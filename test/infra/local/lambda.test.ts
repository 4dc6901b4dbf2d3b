import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { FunctionDefinition } from '../../../infra/local/assembly.ts';
import { FunctionThreads } from '../../../infra/local/function-threads.ts';
import { FunctionError, Lambda, PayloadTooLarge } from '../../../infra/local/lambda.ts';

/** A function that does what its event says, and counts the calls of its thread. */
const handlerSource = `
  let calls = 0;
  exports.handler = async ({ does, failures = 0, bytes = 0 }) => {
    calls += 1;
    if (does === 'hang') await new Promise((resolve) => setTimeout(resolve, 60_000));
    if (does === 'exit') process.exit(1);
    if (does === 'fail late') setTimeout(() => { throw new Error('late'); }, 10);
    if (does === 'fail' || calls <= failures) throw new Error('failed');
    if (does === 'refuse') throw new Error('Unauthorized');
    return { calls, text: 'x'.repeat(bytes) };
  };
`;
const definition: FunctionDefinition = {
  id: 'counter',
  name: 'counter',
  arn: 'arn:aws:lambda:us-east-1:000000000000:function:counter',
  directory: mkdtempSync(join(tmpdir(), 'stockroom-lambda-')),
  handler: 'index.handler',
  memoryMegabytes: 128,
  timeoutSeconds: 5,
  environment: {},
  principal: 'counter',
  statements: [{ Effect: 'Allow', Action: ['logs:*', 'sqs:SendMessage'], Resource: '*' }],
  logGroup: 'counter',
  isTraced: false,
  retries: 2,
  failureQueue: undefined,
};
const running: FunctionThreads[] = [];

beforeAll(() => writeFileSync(join(definition.directory, 'index.js'), handlerSource));
afterEach(async () => {
  for (const threads of running.splice(0)) await threads.stop();
});
afterAll(() => rmSync(definition.directory, { recursive: true }));

const make = (change: Partial<FunctionDefinition> = {}) => {
  const [logs, accesses]: [string[], string[]] = [[], []];
  const threads = new FunctionThreads();
  const lambda = new Lambda(
    { ...definition, ...change },
    {},
    {
      log: (line) => logs.push(line),
      access: ({ action, isAllowed }) => accesses.push(`${action} ${isAllowed}`),
    },
    threads,
  );
  running.push(threads);
  return { lambda, threads, logs, accesses };
};

const megabytes = 1024 * 1024;

describe('A function of the local runner', () => {
  it('takes and gives at most 6 MB', async () => {
    const { lambda } = make();
    const text = (count: number) => ({ text: 'x'.repeat(count - '{"text":""}'.length) });
    expect(await lambda.invoke(text(6 * megabytes))).toMatchObject({ calls: 1 });
    await expect(lambda.invoke(text(6 * megabytes + 1))).rejects.toBeInstanceOf(PayloadTooLarge);
    expect(await lambda.invoke({ bytes: 6 * megabytes - 100 })).toMatchObject({ calls: 2 });
    await expect(lambda.invoke({ bytes: 6 * megabytes })).rejects.toThrow('The answer exceeds 6 MB.');
  });

  it('runs again on an event that failed, at most as often as the stack says, and not after a success', async () => {
    const { lambda, logs } = make();
    expect(await lambda.invokeEvent({ failures: 2 })).toBe(true);
    expect(await lambda.invoke({})).toMatchObject({ calls: 4 });
    expect(await lambda.invokeEvent({})).toBe(true);
    expect(await lambda.invoke({})).toMatchObject({ calls: 6 });
    expect(await lambda.invokeEvent({ does: 'fail' })).toBe(false);
    expect(await lambda.invoke({})).toMatchObject({ calls: 10 });
    expect(logs.filter((line) => line.includes('The event failed 3 times'))).toHaveLength(1);
  });

  it('needs the right to the queue of its failed events', async () => {
    const queue = { retries: 0, failureQueue: 'arn:aws:sqs:us-east-1:000000000000:failures' };
    const allowed = make(queue);
    await allowed.lambda.invokeEvent({ does: 'fail' });
    expect(allowed.accesses).toContain('sqs:SendMessage true');
    const refused = make({ ...queue, statements: [{ Effect: 'Allow', Action: 'logs:*', Resource: '*' }] });
    await refused.lambda.invokeEvent({ does: 'fail' });
    expect(refused.accesses).toContain('sqs:SendMessage false');
    expect(refused.logs.join('\n')).toContain('The role of this function lacks a right');
    expect(allowed.logs.join('\n')).not.toContain('lacks a right');
  });

  it('that hangs is given up in its time, and the next call starts another thread', async () => {
    const { lambda } = make();
    await lambda.invoke({});
    const start = Date.now();
    await expect(lambda.invoke({ does: 'hang' }, { timeoutSeconds: 0.2 })).rejects.toThrow(
      'Task timed out after 200 ms.',
    );
    expect(Date.now() - start).toBeLessThan(5_000);
    expect(await lambda.invoke({})).toMatchObject({ calls: 1 });
  });

  it('that ends its process fails its calls, and the next call starts another thread', async () => {
    const { lambda } = make();
    await expect(lambda.invoke({ does: 'exit' })).rejects.toThrow(new FunctionError('The function ended its process.'));
    expect(await lambda.invoke({})).toMatchObject({ calls: 1 });
  });

  it('logs a failure between two calls, and starts the next one anew', async () => {
    const { lambda, logs } = make();
    expect(await lambda.invoke({ does: 'fail late' })).toMatchObject({ calls: 1 });
    while (logs.length === 0) await pause(10);
    expect(logs.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ level: 'ERROR', message: 'The function failed between two calls: late' }),
    ]);
    expect(await lambda.invoke({})).toMatchObject({ calls: 1 });
  });

  it('logs a failure, and no refusal of a credential', async () => {
    const { lambda, logs } = make();
    await expect(lambda.invoke({ does: 'refuse' })).rejects.toThrow('Unauthorized');
    expect(logs).toEqual([]);
    await expect(lambda.invoke({ does: 'fail' })).rejects.toThrow('failed');
    expect(logs.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ level: 'ERROR', errorType: 'Error', message: 'failed' }),
    ]);
  });

  it('runs no more once the runner stops', async () => {
    const { lambda, threads } = make();
    await threads.stop();
    await expect(lambda.invoke({})).rejects.toThrow('The runner stops.');
    expect(await lambda.invokeEvent({})).toBe(false);
  });
});
