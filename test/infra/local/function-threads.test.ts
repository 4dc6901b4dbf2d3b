import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { FunctionThreads } from '../../../infra/local/function-threads.ts';
import { Lambda } from '../../../infra/local/lambda.ts';

/** A function that does what its event says, and answers with what it finds around it. */
const handlerSource = `
  const http = require('node:http');
  const { threadId } = require('node:worker_threads');
  const atLoad = process.env.WHO;
  let calls = 0;
  let atOnce = 0;
  console.log('loaded ' + atLoad);
  const callTable = (url) => new Promise((resolve) => {
    const headers = { 'X-Amz-Target': 'DynamoDB_20120810.GetItem' };
    const request = http.request(url, { method: 'POST', headers }, (response) => resolve(response.statusCode));
    request.on('error', () => {});
    request.end(JSON.stringify({ TableName: 'table', Key: { pk: { S: 'a' }, sk: { S: 'b' } } }));
  });
  exports.handler = async ({ does, milliseconds = 0, url }) => {
    const answer = { calls: ++calls, atOnce: ++atOnce, threadId };
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    atOnce -= 1;
    if (does === 'exit') process.exit(1);
    if (does === 'fail late') setTimeout(() => { throw new Error('late'); }, 10);
    if (does === 'reject late') setTimeout(() => void Promise.reject(new Error('late')), 10);
    if (does === 'call') answer.status = await callTable(url);
    console.log('called ' + process.env.WHO);
    process.stderr.write('warned ' + process.env.WHO + '\\n');
    return { ...answer, atLoad, who: process.env.WHO, name: process.env.AWS_LAMBDA_FUNCTION_NAME };
  };
`;

interface Answer {
  readonly calls: number;
  readonly atOnce: number;
  readonly threadId: number;
  readonly atLoad: string;
  readonly who: string;
  readonly name: string;
  readonly status?: number;
}

interface Event {
  readonly does?: 'exit' | 'fail late' | 'reject late' | 'call';
  readonly milliseconds?: number;
  readonly url?: string;
}

let directory: string;
let threads: FunctionThreads;
let logs: string[];

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'stockroom-threads-'));
  writeFileSync(join(directory, 'index.js'), handlerSource);
  writeFileSync(join(directory, 'broken.js'), "throw new Error('broken');");
});

beforeEach(() => {
  logs = [];
});

afterEach(() => threads.stop());

afterAll(() => rmSync(directory, { recursive: true }));

/** A function among those of the threads. */
const put = (name: string, { actions = ['logs:*'], handler = 'index.handler' } = {}) => {
  const definition = {
    id: name,
    name,
    arn: name,
    directory,
    handler,
    memoryMegabytes: 128,
    timeoutSeconds: 20,
    environment: {},
    principal: name,
    statements: [{ Effect: 'Allow', Action: actions, Resource: '*' } as const],
    logGroup: name,
    isTraced: false,
    retries: 0,
    failureQueue: undefined,
  };
  const sinks = {
    log: (line: string, functionId: string) => logs.push(`${functionId}: ${line}`),
    access: () => {},
  };
  const lambda = new Lambda(definition, { WHO: name.toUpperCase() }, sinks, threads);
  return async (event: Event = {}, timeoutSeconds?: number): Promise<Answer> =>
    (await lambda.invoke(event, timeoutSeconds === undefined ? {} : { timeoutSeconds })) as Answer;
};

const failuresBetweenCalls = (): string[] => logs.filter((line) => line.includes('between two calls'));

const names = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];

describe('Functions of one thread', () => {
  beforeEach(() => {
    threads = new FunctionThreads(1);
  });

  it('have nothing in common: not their state, nor variables, nor output', async () => {
    const [first, second] = [put('first'), put('second')];
    const calls = [first(), second(), first({ milliseconds: 50 }), second({ milliseconds: 20 }), second()];
    const answers = await Promise.all(calls);
    const found = (name: string, count: number) => {
      const whose = name.toUpperCase();
      return { calls: count, atOnce: count, threadId: answers[0]?.threadId, atLoad: whose, who: whose, name };
    };
    expect(answers).toEqual([
      found('first', 1),
      found('second', 1),
      found('first', 2),
      found('second', 2),
      found('second', 3),
    ]);
    const lines = (name: string, count: number) => [
      `${name}: loaded ${name.toUpperCase()}`,
      ...Array.from({ length: count }, () => `${name}: called ${name.toUpperCase()}`),
      ...Array.from({ length: count }, () => `${name}: warned ${name.toUpperCase()}`),
    ];
    expect(logs.toSorted()).toEqual([...lines('first', 2), ...lines('second', 3)].toSorted());
  });

  it('have their own rights', async () => {
    const table = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1');
    const url = await new Promise<string>((resolve) => {
      table.once('listening', () => resolve(`http://127.0.0.1:${(table.address() as AddressInfo).port}`));
    });
    const [reader, other] = [put('reader', { actions: ['logs:*', 'dynamodb:GetItem'] }), put('other')];
    const calls = Array.from({ length: 6 }, (_, index) => {
      const event = { does: 'call', url, milliseconds: 10 * (index % 3) } as const;
      return index % 2 === 0 ? reader(event) : other(event);
    });
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 400, 200, 400, 200, 400]);
    table.close();
    const refused = logs.filter((line) => line.includes('lacks a right'));
    expect(refused).toHaveLength(3);
    expect(refused.every((line) => line.startsWith('other: '))).toBe(true);
  });

  it('go on when another one cannot be loaded', async () => {
    const [first, broken] = [put('first'), put('broken', { handler: 'broken.handler' })];
    await first();
    await expect(broken()).rejects.toThrow('broken');
    await expect(put('nameless', { handler: 'index.nothing' })()).rejects.toThrow('The bundle exports no nothing.');
    await expect(broken()).rejects.toThrow('broken');
    expect(await first()).toMatchObject({ calls: 2 });
  });

  it('end their calls where they began when another one hangs, and then begin anew', async () => {
    const [first, hanging] = [put('first'), put('hanging')];
    await Promise.all([first(), hanging()]);
    const slow = first({ milliseconds: 600 });
    await expect(hanging({ milliseconds: 60_000 }, 0.2)).rejects.toThrow('Task timed out after 200 ms.');
    expect(await first()).toMatchObject({ calls: 1 });
    expect(await slow).toMatchObject({ calls: 2 });
  });

  it('lose their calls when another one ends the process, and are told so', async () => {
    const [first, ending] = [put('first'), put('ending')];
    const slow = first({ milliseconds: 10_000 });
    await Promise.all([
      expect(ending({ does: 'exit' })).rejects.toThrow('The function ended its process.'),
      expect(slow).rejects.toThrow('ending ended the thread that it shares with this function.'),
    ]);
    expect(await first()).toMatchObject({ calls: 1 });
  });

  it.each(['fail late', 'reject late'] as const)(
    'end their calls where they began when another one does "%s", and then begin anew',
    async (does) => {
      const [first, failing] = [put('first'), put('failing')];
      const slow = first({ milliseconds: 600 });
      const { threadId } = await failing({ does });
      while (failuresBetweenCalls().length === 0) await pause(10);
      expect(failuresBetweenCalls()).toEqual([
        expect.stringMatching(/^failing: .*The function failed between two calls: late/),
      ]);
      expect(await failing()).toMatchObject({ calls: 1 });
      expect((await first()).threadId).not.toBe(threadId);
      expect(await slow).toMatchObject({ calls: 1, threadId });
      expect(failuresBetweenCalls()).toHaveLength(1);
    },
  );

  it.each(['fail late', 'reject late'] as const)(
    'keep their calls when another one that is at work does "%s": it loses its own',
    async (does) => {
      const [first, second, failing] = [put('first'), put('second'), put('failing')];
      const others = [first({ milliseconds: 600 }), second({ milliseconds: 600 })];
      const own = failing({ milliseconds: 10_000 });
      await failing({ does });
      await expect(own).rejects.toThrow('late');
      expect(await failing()).toMatchObject({ calls: 1 });
      expect(await Promise.all(others)).toEqual([
        expect.objectContaining({ calls: 1 }),
        expect.objectContaining({ calls: 1 }),
      ]);
      expect(failuresBetweenCalls()).toEqual([]);
    },
  );

  it('all fail one after the other, and each says so itself', async () => {
    const functions = names.slice(0, 3).map((name) => put(name));
    const slow = put('slow')({ milliseconds: 1_000 });
    await Promise.all(functions.map(async (call) => call({ does: 'fail late' })));
    while (failuresBetweenCalls().length < 3) await pause(10);
    expect(failuresBetweenCalls().map((line) => line.split(': ')[0])).toEqual(names.slice(0, 3));
    expect(await slow).toMatchObject({ calls: 1 });
  });
});

describe('The functions of a stack', () => {
  beforeEach(() => {
    threads = new FunctionThreads();
  });

  it('run in four threads, each always in the same one', async () => {
    const functions = names.map((name) => put(name));
    const places = async () => Promise.all(functions.map(async (call) => (await call()).threadId));
    const first = await places();
    expect(new Set(first).size).toBe(4);
    expect(await places()).toEqual(first);
  });

  it('have at most 64 calls at once each, fewer than the connections of an SDK client, and answer all', async () => {
    const call = put('busy');
    const answers = await Promise.all(Array.from({ length: 200 }, () => call({ milliseconds: 20 })));
    expect(Math.max(...answers.map(({ atOnce }) => atOnce))).toBe(64);
    expect(answers.map(({ calls }) => calls).toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 200 }, (_, index) => index + 1),
    );
  });

  it('leave no thread when they stop', async () => {
    const slow = put('slow')({ milliseconds: 60_000 });
    await pause(100);
    await Promise.all([threads.stop(), expect(slow).rejects.toThrow('The thread of the function ended.')]);
    await expect(put('late')()).rejects.toThrow('The runner stops.');
  });
});
