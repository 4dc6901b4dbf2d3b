import { join } from 'node:path';
import { environment } from '../../shared/config.ts';
import { bundleOf, doorBundleId } from '../api/bundles.ts';
import { releaseMemoryWhenIdle } from './idle-memory.ts';
import { type Runner, startRunner } from './runner.ts';
import { readSettings } from './settings.ts';
import { projectRoot } from './sources.ts';
import { StartError } from './start-error.ts';
import { synthesise } from './synthesis.ts';
import { watchSources } from './watch.ts';
import { announcement, greeting } from './welcome.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);
const complain = (line: string) => process.stderr.write(`${line}\n`);

const assembly = join(projectRoot, 'cdk.out');

const run = async (): Promise<void> => {
  const notIdle = releaseMemoryWhenIdle();
  const { hasDoor, ...settings } = readSettings(process.env);
  const parts = {
    uploads: hasDoor ? 'local' : undefined,
    reads: settings.readsPort === undefined ? undefined : 'url',
  } as const;
  const build = async (): Promise<void> => {
    await synthesise(assembly, parts, say);
    say('Starting the table, the object store and the functions…');
  };
  const runner = await startRunner({
    ...settings,
    firstAdmin: {
      ...settings.firstAdmin,
      announce: (admin) => {
        for (const line of announcement(admin, settings.firstAdmin)) say(line);
      },
    },
    assembly,
    ...(hasDoor && { doorBundle: bundleOf(doorBundleId) }),
    build,
    keepsSchedules: process.env[environment.readOnly] !== 'true',
    logSink: (line) => {
      // Each request writes a line.
      notIdle();
      complain(line);
    },
  });
  const userDir = settings.dynamodbEndpoint === undefined ? settings.dataDir : undefined;
  for (const line of greeting(runner, settings.firstAdmin, userDir)) say(line);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop(runner, 0));
  void runner.engineExited.then(() => {
    complain('The table engine ended: start again. Nothing that was acknowledged is lost.');
    return stop(runner, 1);
  });
  if (process.argv.includes('--watch')) watchSources(() => rebuild(runner, parts));
  if (runner.packagesUrl) say(`Package managers read for less at ${runner.packagesUrl}.`);
  say(`listening on ${runner.url}`);
};

const rebuild = async (runner: Runner, parts: Parameters<typeof synthesise>[1]): Promise<void> => {
  try {
    await synthesise(assembly, parts);
    await runner.reload();
    say('Rebuilt.');
  } catch (error) {
    complain(
      `${error instanceof StartError ? error.message : (error as Error).stack}\nThe previous build keeps running.`,
    );
  }
};

const stop = async (runner: Runner, code: number): Promise<void> => {
  await runner.stop();
  process.exit(code);
};

try {
  await run();
} catch (error) {
  complain(error instanceof StartError ? error.message : `${(error as Error).stack}`);
  process.exit(1);
}
