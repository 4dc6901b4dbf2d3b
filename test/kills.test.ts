import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../infra/local/free-port.ts';
import { accountHeader } from './harness/credentials.ts';
import { sha256 } from './harness/sha256.ts';
import { firstAdmin, uniqueName } from './harness/world.ts';

/** `npm run test:kills` does more. */
const kills = Number(process.env.KILLS ?? 2);
/** How long the load before a kill lasts, at most. */
const loadMilliseconds = process.env.KILLS === undefined ? 700 : 2_000;

jest.setTimeout(60_000 + 30_000 * kills);

const authorization = accountHeader(firstAdmin.username, firstAdmin.password);
/** The hashes of the files that the service has acknowledged, by their paths. */
const acknowledged = new Map<string, string>();
/** The repositories that it has made. */
const repositories = new Set<string>();
const acknowledgedCount = (): number => acknowledged.size + repositories.size;
let directory: string;
let url: string;
let running: ChildProcess | undefined;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'stockroom-kills-'));
  url = `http://127.0.0.1:${await freePort()}`;
});

afterAll(async () => {
  await kill();
  rmSync(directory, { recursive: true });
});

/** Begins a start, and tells when the service listens. A start that ends before has its sentence. */
const start = async (): Promise<void> => {
  const child = spawn(process.execPath, ['test/harness/local-service.ts', directory, new URL(url).port], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running = child;
  let errors = '';
  child.stderr.on('data', (text: Buffer) => {
    errors += text.toString();
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The start ended with code ${code}: ${errors}`);
  });
  ended.catch(() => {});
  await Promise.race([once(child.stdout, 'data'), ended]);
};

const kill = async (): Promise<void> => {
  if (!running || running.exitCode !== null || running.signalCode !== null) return;
  const ended = once(running, 'exit');
  running.kill('SIGKILL');
  await ended;
};

const send = async (method: string, path: string, body?: Buffer | object): Promise<Response> => {
  const isBytes = Buffer.isBuffer(body);
  return fetch(url + path, {
    method,
    headers: {
      authorization,
      ...(body && { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' }),
    },
    ...(body && { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
  });
};

/** Publishes small and large files and makes repositories, one after the other, until the service is gone. */
const work = async (): Promise<void> => {
  for (let count = 0; ; count += 1) {
    const content = randomBytes(count % 4 === 3 ? 5_000_000 : randomInt(1, 300_000));
    const path = `/universal/acme/files/${uniqueName()}/1.0.0/file.bin`;
    const { status } = await send('PUT', path, content);
    if (status === 201) acknowledged.set(path, sha256(content));
    const name = uniqueName('r');
    const made = await send('POST', '/1/workspaces/acme/repositories/local', { name, packageType: 'npm' });
    if (made.status === 201) repositories.add(name);
    await send('GET', '/1/workspaces/acme/repositories?limit=10');
  }
};

const expectStored = async (paths: readonly string[], names: readonly string[]): Promise<void> => {
  for (const path of paths) {
    const answer = await send('GET', path);
    expect([path, answer.status]).toEqual([path, 200]);
    expect(sha256(Buffer.from(await answer.arrayBuffer()))).toBe(acknowledged.get(path));
  }
  for (const name of names) {
    const { status } = await send('GET', `/1/workspaces/acme/repositories/${name}`);
    expect([name, status]).toEqual([name, 200]);
  }
};

it(`A local service starts again with all that it acknowledged after each of ${kills} kills`, async () => {
  await start();
  expect((await send('POST', '/1/workspaces', { name: 'acme' })).status).toBe(201);
  const made = await send('POST', '/1/workspaces/acme/repositories/local', { name: 'files', packageType: 'universal' });
  expect(made.status).toBe(201);
  for (let round = 0; round < kills; round += 1) {
    const workers = Promise.allSettled([work(), work(), work()]);
    // Something of each round is acknowledged, however busy the machine is.
    const before = acknowledgedCount();
    for (let tries = 0; acknowledgedCount() === before && tries < 4_000; tries += 1) await pause(5);
    await pause(randomInt(0, loadMilliseconds));
    await kill();
    await workers;
    // One in four is killed while it starts.
    if (round % 4 === 1) {
      start().catch(() => {});
      await pause(randomInt(10, 1_500));
      await kill();
    }
    await start();
    await expectStored([...acknowledged.keys()].slice(-5), [...repositories].slice(-5));
  }
  await expectStored([...acknowledged.keys()], [...repositories]);
  expect(acknowledgedCount()).toBeGreaterThanOrEqual(kills);
});
