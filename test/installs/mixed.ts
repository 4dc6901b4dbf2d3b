import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { npm } from './clients/npm.ts';
import { uv } from './clients/uv.ts';
import { options } from './options.ts';
import { requireReachable } from './private-upstreams.ts';
import { megabytes, memoryOf, residentBytes } from './process-tree.ts';
import { logFile, progress } from './progress.ts';
import { stockroom } from './servers/all.ts';
import type { Server } from './servers/server.ts';
import { type Reading, readings } from './traffic.ts';

const minute = 60_000;
/** What a service keeps of its first minutes is no growth. */
const settlingMinutes = Math.min(10, options.mixedMinutes / 2);

/** What became of the readings of one client. */
interface Tally {
  answered: number;
  /** Without an answer, because the connection broke. */
  broken: number;
}

/** Reads one thing after the other, until the time is over. */
const readOn = async (choices: readonly Reading[], until: number): Promise<Tally> => {
  const tally = { answered: 0, broken: 0 };
  while (Date.now() < until)
    try {
      const reading = choices[Math.floor(Math.random() * choices.length)];
      if (await reading?.()) tally.answered += 1;
    } catch {
      tally.broken += 1;
    }
  return tally;
};

interface Sample {
  readonly minutes: number;
  readonly process: number;
  readonly tree: number;
}

const textOf = ({ minutes, process, tree }: Sample): string =>
  `minute ${minutes.toFixed(0)}: ${process.toFixed(0)} MB in RAM, with its children ${tree.toFixed(0)} MB`;

const sampleMemory = async ({ pid }: Server, until: number): Promise<readonly Sample[]> => {
  const begun = Date.now();
  const samples: Sample[] = [];
  while (Date.now() < until) {
    await pause(Math.min(minute, until - Date.now()));
    const minutes = (Date.now() - begun) / minute;
    const sample = { minutes, process: residentBytes(pid) / megabytes, tree: memoryOf(pid) / megabytes };
    samples.push(sample);
    progress(textOf(sample));
  }
  return samples;
};

/** Lets clients read from remote repositories at random, and prints how the memory of the service grows; returns what is wrong. */
export const mixTraffic = async (): Promise<readonly string[]> => {
  await requireReachable([...npm.hosts, ...uv.hosts]);
  const folder = mkdtempSync(join(tmpdir(), 'stockroom-installs-'));
  const server = await stockroom.start(folder, logFile('mixed service'));
  try {
    const choices = readings({ npm: await server.sourceOf(npm), pypi: await server.sourceOf(uv) });
    const until = Date.now() + options.mixedMinutes * minute;
    const clients = Array.from({ length: options.mixedClients }, () => readOn(choices, until));
    const samples = await sampleMemory(server, until);
    const tallies = await Promise.all(clients);
    const answered = tallies.reduce((sum, each) => sum + each.answered, 0);
    const broken = tallies.reduce((sum, each) => sum + each.broken, 0);
    const failed = server.failedAnswers();
    process.stdout.write(`${answered} readings of ${options.mixedClients} clients succeeded.\n`);
    const [settled, last] = [samples.find(({ minutes }) => minutes >= settlingMinutes), samples.at(-1)];
    if (settled && last)
      process.stdout.write(
        `Memory at ${textOf(settled)}; at ${textOf(last)}: grown by ${(last.process - settled.process).toFixed(0)} MB.\n`,
      );
    return [
      ...(failed > 0 ? [`Stockroom gave ${failed} answers of 5xx.`] : []),
      ...(broken > 0 ? [`${broken} readings got no answer.`] : []),
      ...(answered === 0 ? ['No reading succeeded.'] : []),
    ];
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};
