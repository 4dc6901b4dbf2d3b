import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../../infra/local/free-port.ts';
import { projectRoot } from '../../infra/local/sources.ts';
import type { Workbench } from './workbench.ts';

export const verdaccioVersion = '6.10.4';

/** 320 packages that only the bench needs: its first run installs them beside the other caches. */
const directory = join(projectRoot, 'node_modules', '.cache', 'stockroom-bench', `verdaccio-${verdaccioVersion}`);

/** Installs Verdaccio, if it is not there, and returns the script that starts it. */
export const verdaccioScript = async (): Promise<string> => {
  const script = join(directory, 'node_modules', 'verdaccio', 'bin', 'verdaccio');
  if (existsSync(script)) return script;
  process.stderr.write(`Installing verdaccio ${verdaccioVersion}, this once…\n`);
  mkdirSync(directory, { recursive: true });
  const dependencies = { verdaccio: verdaccioVersion };
  // The audit plugin stays off: it depends on a tag of node-fetch that some registries do not have.
  const manifest = { private: true, dependencies, overrides: { 'node-fetch': '2.7.0' } };
  writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest));
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--omit=optional'];
  try {
    await promisify(execFile)('npm', ['install', ...quiet], { cwd: directory });
  } catch {
    throw new Error(`Verdaccio ${verdaccioVersion} cannot be installed: check that npm reaches its registry.`);
  }
  return script;
};

/** Accounts with bcrypt, tokens as JWT: what Verdaccio's own documentation recommends. */
const configuration = (folder: string) => ({
  storage: join(folder, 'storage'),
  auth: { htpasswd: { file: join(folder, 'htpasswd'), algorithm: 'bcrypt', rounds: 10 } },
  security: { api: { jwt: { sign: { expiresIn: '1d' } } } },
  packages: { '**': { access: '$authenticated', publish: '$authenticated' } },
  log: { type: 'stdout', format: 'json', level: 'http' },
});

const startTriesMax = 150;
const startPollMilliseconds = 200;

let running: ReturnType<typeof start> | undefined;

/** Starts Verdaccio with one user; returns its URL and the header of that user. All parts of the bench share it. */
export const theVerdaccio = (workbench: Workbench, username: string, password: string) => {
  running ??= start(workbench, username, password);
  return running;
};

const start = async (workbench: Workbench, username: string, password: string) => {
  const script = await verdaccioScript();
  const folder = join(workbench.directory, 'verdaccio');
  mkdirSync(folder);
  const file = join(folder, 'config.yaml');
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(configuration(folder)));
  const url = `http://127.0.0.1:${await freePort()}`;
  const { HOME = folder, PATH = '' } = process.env;
  workbench.launch(script, ['--config', file, '--listen', url], { HOME, PATH, NODE_ENV: 'production' });
  for (let tries = 0; !(await answers(url)); tries += 1) {
    if (tries === startTriesMax) throw new Error('Verdaccio does not start.');
    await pause(startPollMilliseconds);
  }
  const response = await fetch(`${url}/-/user/org.couchdb.user:${username}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: username, password }),
  });
  const { token } = (await response.json()) as { token?: string };
  if (!token) throw new Error('Verdaccio did not return a token for its user.');
  return { url, bearer: `Bearer ${token}` };
};

const answers = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(`${url}/-/ping`)).ok;
  } catch {
    return false;
  }
};
