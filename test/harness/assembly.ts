import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..', '..');
const cacheDirectory = join(root, 'node_modules', '.cache', 'stockroom');
const keptMilliseconds = 60 * 60 * 1000;

const serviceApp = 'infra/app.ts';

/** Everything that the bundles and the templates are made from; the local runner is not. */
const sources = [
  '{functions,shared}/**/*.{ts,html,css,js}',
  'infra/*.ts',
  'package-lock.json',
  'package.json',
  'cdk.json',
];

const digestOfSources = (app: string): string => {
  const hash = createHash('sha256').update(app);
  const own = app === serviceApp ? [] : [`${dirname(app)}/**/*.ts`];
  for (const file of globSync([...sources, ...own], { cwd: root }).toSorted())
    hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 16);
};

/** Synthesises an app unless these very sources were synthesised before; answers with the folder of the assembly. */
export const synthesise = async (app = serviceApp): Promise<string> => {
  mkdirSync(cacheDirectory, { recursive: true });
  const directory = join(cacheDirectory, digestOfSources(app));
  if (existsSync(directory)) return directory;
  const unfinished = `${directory}.${process.pid}`;
  try {
    await promisify(execFile)(process.execPath, [app], {
      cwd: root,
      env: { ...process.env, CDK_OUTDIR: unfinished },
    });
    if (app === serviceApp) copyFileSync(join(root, 'build', 'metafile.json'), join(unfinished, 'metafile.json'));
    // Another run of the tests may have been quicker with the same sources.
    if (!existsSync(directory)) renameSync(unfinished, directory);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  forgetOld();
  return directory;
};

const forgetOld = (): void => {
  for (const name of globSync('*', { cwd: cacheDirectory })) {
    const directory = join(cacheDirectory, name);
    if (Date.now() - statSync(directory).mtimeMs > keptMilliseconds)
      rmSync(directory, { recursive: true, force: true });
  }
};

/** The assembly that this test run is about. */
export const assemblyDirectory = (): string => {
  const directory = process.env.STOCKROOM_ASSEMBLY;
  if (!directory) throw new Error('The tests run by jest, whose global setup synthesises the stack.');
  return directory;
};
