import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { npm } from './clients/npm.ts';
import { requireReachable } from './private-upstreams.ts';
import { megabytes, memoryOf, residentBytes } from './process-tree.ts';
import { logFile, outcomeOf, progress } from './progress.ts';
import { install } from './running.ts';
import { stockroom } from './servers/all.ts';

const repositories = 3;
const afterMegabytesMax = 600;
const restedMegabytesMax = 450;
const restMilliseconds = 60_000;

/**
 * Installs the tree of npm cold through one new repository after the other of one service; returns what is wrong with its memory. The
 * bounds are those of the process of `npm start`, in which the API and all functions run. The engine of the table and the object
 * store, processes beside it that stand for DynamoDB and S3, are only printed.
 */
export const measureMemory = async (): Promise<readonly string[]> => {
  await requireReachable(npm.hosts);
  await npm.prepare();
  const folder = mkdtempSync(join(tmpdir(), 'stockroom-installs-'));
  const server = await stockroom.start(folder, logFile('memory service'));
  const faults: string[] = [];
  const look = (when: string, max = Number.POSITIVE_INFINITY): void => {
    const [found, tree] = [residentBytes(server.pid), memoryOf(server.pid)].map((bytes) => bytes / megabytes) as [
      number,
      number,
    ];
    const text = `the process of npm start has ${found.toFixed(0)} MB in RAM, with all that it started ${tree.toFixed(0)} MB`;
    const isBounded = Number.isFinite(max);
    progress(
      `${when}: ${text}${isBounded ? `; at most ${max} MB for the process: ${found <= max ? 'holds' : 'DOES NOT HOLD'}` : ''}`,
    );
    if (found > max) faults.push(`${when}, ${text}: at most ${max} MB are allowed for the process.`);
  };
  try {
    look('At the start');
    for (let repository = 1; repository <= repositories; repository += 1) {
      const made = await install(npm, await server.sourceOf(npm), logFile(`memory npm ${repository}`));
      progress(`npm cold ${repository}: ${outcomeOf(made)}`);
      if (made.failure !== undefined) faults.push(`Installation ${repository} failed.`);
      look(`After installation ${repository}`, repository === repositories ? afterMegabytesMax : undefined);
    }
    await pause(restMilliseconds);
    look('A minute later', restedMegabytesMax);
    const failed = server.failedAnswers();
    return failed > 0 ? [...faults, `Stockroom gave ${failed} answers of 5xx.`] : faults;
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};
