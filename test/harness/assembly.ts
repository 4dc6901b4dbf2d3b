import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { digestOfSources, projectRoot } from '../../infra/local/sources.ts';

const cacheDirectory = join(projectRoot, 'node_modules', '.cache', 'stockroom');
const keptMilliseconds = 60 * 60 * 1000;

const serviceApp = 'test/harness/app.ts';

const digestOf = (app: string): string => digestOfSources(app, [app === serviceApp ? app : `${dirname(app)}/**/*.ts`]);

/**
 * Synthesises an app unless these very sources were synthesised before; answers with the folder of what it made. The app of the
 * service makes four assemblies there: `plain`, `door` with a door, `front` with a front for reads, and `edge` with CloudFront before that.
 */
export const synthesise = async (app = serviceApp): Promise<string> => {
  mkdirSync(cacheDirectory, { recursive: true });
  const directory = join(cacheDirectory, digestOf(app));
  if (existsSync(directory)) {
    const now = new Date();
    utimesSync(directory, now, now);
    return directory;
  }
  const unfinished = `${directory}.${process.pid}`;
  try {
    await promisify(execFile)(process.execPath, [app], {
      cwd: projectRoot,
      // CDK's validation takes two thirds of a synthesis. The tests of the templates validate what they look at.
      env: { ...process.env, CDK_OUTDIR: unfinished, CDK_VALIDATION: 'false' },
    });
    // Another run of the tests may have been quicker with the same sources.
    if (!existsSync(directory)) renameSync(unfinished, directory);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  forgetOld();
  return directory;
};

/** Removes the assemblies that nobody used for long, and what stands beside them under their names. */
const forgetOld = (): void => {
  for (const name of globSync('*', { cwd: cacheDirectory })) {
    const path = join(cacheDirectory, name);
    const assembly = join(cacheDirectory, name.replace(/\..*/, ''));
    const { mtimeMs } = statSync(existsSync(assembly) ? assembly : path);
    if (Date.now() - mtimeMs > keptMilliseconds) rmSync(path, { recursive: true, force: true });
  }
};

/** The environment variables that name the assemblies in a folder to the tests. */
export const variablesOf = (assemblies: string) => ({
  STOCKROOM_ASSEMBLY: join(assemblies, 'plain'),
  STOCKROOM_DOOR_ASSEMBLY: join(assemblies, 'door'),
  STOCKROOM_FRONT_ASSEMBLY: join(assemblies, 'front'),
  STOCKROOM_EDGE_ASSEMBLY: join(assemblies, 'edge'),
});

/** The assembly that this test run is about. */
export const assemblyDirectory = (): string => {
  const directory = process.env.STOCKROOM_ASSEMBLY;
  if (!directory) throw new Error('The tests run by jest, whose global setup synthesises the stack.');
  return directory;
};

/** The assembly of the same sources with a door, whose bundle is in its folder `door`. */
export const assemblyWithDoor = (): string => {
  const directory = process.env.STOCKROOM_DOOR_ASSEMBLY;
  if (!directory) throw new Error('The tests run by jest, whose global setup synthesises the stack with a door.');
  return directory;
};

/** The assembly of the same sources with a front for reads. */
export const assemblyWithFront = (): string => {
  const directory = process.env.STOCKROOM_FRONT_ASSEMBLY;
  if (!directory) throw new Error('The tests run by jest, whose global setup synthesises the stack with a front.');
  return directory;
};

/** The assembly of the same sources with CloudFront before a front for reads. */
export const assemblyWithEdge = (): string => {
  const directory = process.env.STOCKROOM_EDGE_ASSEMBLY;
  if (!directory) throw new Error('The tests run by jest, whose global setup synthesises the stack with CloudFront.');
  return directory;
};
