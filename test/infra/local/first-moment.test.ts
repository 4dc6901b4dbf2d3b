import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../../infra/local/free-port.ts';
import { type Runner, startRunner } from '../../../infra/local/runner.ts';
import { assemblyWithDoor } from '../../harness/assembly.ts';

jest.setTimeout(120_000);

/** What a client gets that connects anew, with a body for the door or without one: a status, or the code of the failure. */
const ask = async (port: number, body = ''): Promise<number | string> => {
  const { promise, resolve } = Promise.withResolvers<number | string>();
  const [method, path] = body === '' ? ['GET', '/healthz'] : ['PUT', '/universal/nobody/nothing/at/all'];
  request({ port, host: '127.0.0.1', method, path, agent: false }, (response) => {
    response.resume().once('end', () => resolve(response.statusCode ?? 0));
  })
    .on('error', ({ code }: NodeJS.ErrnoException) => resolve(String(code)))
    .end(body);
  return promise;
};

/** Asks again and again, without waiting for answers, until it is told to end; then gives all answers in their order. */
const keepAsking = (port: number) => {
  const asked: Promise<number | string>[] = [];
  const timer = setInterval(() => asked.push(ask(port), ask(port, 'body')), 20);
  return async (): Promise<readonly (number | string)[]> => {
    clearInterval(timer);
    return Promise.all(asked);
  };
};

let runner: Runner | undefined;

afterEach(async () => {
  await runner?.stop();
});

/** A start with a door, on a port that is asked from the moment at which it is taken. */
const startAsked = async (doorBundle: string) => {
  const port = await freePort();
  const isTaken = Promise.withResolvers<void>();
  const starting = startRunner({
    assembly: assemblyWithDoor(),
    doorBundle,
    build: async () => {
      isTaken.resolve();
      await pause(300);
    },
    host: '127.0.0.1',
    port,
    dataDir: ':memory:',
    firstAdmin: 'none',
    logSink: () => {},
  });
  await isTaken.promise;
  const answers = keepAsking(port);
  runner = await starting;
  await pause(300);
  return { started: runner, answers };
};

describe('The port with a door answers from its first moment', () => {
  it('while it is built, opened and built again', async () => {
    const { started, answers } = await startAsked(join(assemblyWithDoor(), 'door'));
    await started.reload();
    await pause(300);
    const all = await answers();
    expect(all.length).toBeGreaterThan(20);
    expect(new Set(all)).toEqual(new Set([200, 401]));
  });

  it('also after it was built anew and does not start: the build before goes on', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'stockroom-door-'));
    cpSync(join(assemblyWithDoor(), 'door'), folder, { recursive: true });
    const { started, answers } = await startAsked(folder);
    writeFileSync(join(folder, 'index.js'), "throw new Error('no door');");
    await expect(started.reload()).rejects.toThrow('The door cannot be opened: no door');
    await pause(300);
    expect(new Set(await answers())).toEqual(new Set([200, 401]));
    rmSync(folder, { recursive: true });
  });
});
