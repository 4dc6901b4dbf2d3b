import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../infra/local/free-port.ts';
import { roundsOf } from '../harness/sampling.ts';
import { MixedLoad } from './mixed-load.ts';

const isFull = process.env.KILLS !== undefined;
/** `npm run test:kills` does more. */
const kills = Number(process.env.KILLS ?? roundsOf(2));
/** How long the load before a kill lasts, at most. */
const loadMilliseconds = isFull ? 2_000 : 700;
/** After so many kills, the next service begins without data. So what a disk must hold has a bound. */
const killsOfData = 8;

jest.setTimeout(90_000 + 60_000 * kills);

let directory: string | undefined;
let url: string;
let load: MixedLoad;
let running: ChildProcess | undefined;

beforeAll(async () => {
  url = `http://127.0.0.1:${await freePort()}`;
});

const removeData = (): void => {
  if (directory !== undefined) rmSync(directory, { recursive: true });
};

afterAll(async () => {
  await kill();
  removeData();
});

/** Begins a start, and tells when the service listens. A start that ends before has its sentence. */
const start = async (): Promise<void> => {
  const child = spawn(process.execPath, ['test/kills/local-service.ts', String(directory), new URL(url).port], {
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

/** A start that is killed before it listens, or soon after. */
const startInVain = async (millisecondsMin: number): Promise<void> => {
  start().catch(() => {});
  await pause(randomInt(millisecondsMin, 1_500));
  await kill();
};

/** A service without data, whose first start is killed. */
const begin = async (): Promise<void> => {
  await kill();
  removeData();
  directory = mkdtempSync(join(tmpdir(), 'stockroom-kills-'));
  load = new MixedLoad(url);
  await startInVain(0);
  await start();
  expect(await load.prepare()).toEqual([]);
};

interface Event {
  readonly id: string;
  readonly detail: { readonly action: string; readonly target: { readonly name: string } };
}

/** The events that are written in whole lines. */
const readEvents = (): readonly Event[] =>
  readFileSync(join(String(directory), 'events.ndjson'), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Event);

const expectAll = async (): Promise<void> => {
  expect(await load.missing()).toEqual([]);
  const namesOf = (events: readonly Event[]) =>
    events.flatMap(({ detail: { action, target } }) => (action === 'repository.created' ? [target.name] : []));
  let events = readEvents();
  const areAllTold = () => [...load.repositories].every((name) => namesOf(events).includes(name));
  for (let tries = 0; tries < 200 && !areAllTold(); tries += 1) {
    await pause(50);
    events = readEvents();
  }
  expect(namesOf(events)).toEqual(expect.arrayContaining([...load.repositories]));
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
};

it(`A local service starts again with all that it acknowledged after each of ${kills} kills`, async () => {
  const startedAt = Date.now();
  for (let round = 0; round < kills; round += 1) {
    if (round % killsOfData === 0) await begin();
    const workers = Promise.allSettled([load.work(), load.work(), load.work()]);
    // Something of each round is acknowledged, however busy the machine is.
    const before = load.acknowledgedCount;
    for (let tries = 0; load.acknowledgedCount === before && tries < 4_000; tries += 1) await pause(5);
    await pause(randomInt(0, loadMilliseconds));
    await kill();
    await workers;
    expect(load.acknowledgedCount).toBeGreaterThan(before);
    // One in four is killed while it starts.
    if (round % 4 === 1) await startInVain(10);
    await start();
    await expectAll();
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    if (isFull)
      process.stdout.write(`Kill ${round + 1}: ${load.acknowledgedCount} acknowledged, ${seconds} s from the start.\n`);
  }
});
