import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { median } from '../bench/report.ts';
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
/** The memory in RAM moves by so much between two collections of garbage. */
const noise = 0.05;

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

/**
 * Prints how the process of `npm start` has grown since its first minutes, by the medians of the first and the last third of the time
 * after them; returns what is wrong. What it started is printed beside it.
 */
const growthOf = (samples: readonly Sample[]): string[] => {
  const settled = samples.filter(({ minutes }) => minutes >= settlingMinutes);
  const third = Math.ceil(settled.length / 3);
  if (settled.length < 3)
    return [`${settled.length} samples after minute ${settlingMinutes} are too few to see growth.`];
  const [before, after] = [settled.slice(0, third), settled.slice(-third)].map((part) => ({
    process: median(part.map((each) => each.process)),
    tree: median(part.map((each) => each.tree)),
  })) as [Omit<Sample, 'minutes'>, Omit<Sample, 'minutes'>];
  const sentence = `The process of npm start had ${before.process.toFixed(0)} MB in RAM after minute ${settlingMinutes} and ${after.process.toFixed(0)} MB at the end, with all that it started ${before.tree.toFixed(0)} and ${after.tree.toFixed(0)} MB`;
  const holds = after.process <= before.process * (1 + noise);
  process.stdout.write(`${sentence}; no growth by more than ${noise * 100} %: ${holds ? 'holds' : 'DOES NOT HOLD'}.\n`);
  return holds ? [] : [`${sentence}: it grows.`];
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
    return [
      ...growthOf(samples),
      ...(failed > 0 ? [`Stockroom gave ${failed} answers of 5xx.`] : []),
      ...(broken > 0 ? [`${broken} readings got no answer.`] : []),
      ...(answered === 0 ? ['No reading succeeded.'] : []),
    ];
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};
