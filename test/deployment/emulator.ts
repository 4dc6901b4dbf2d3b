import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../../infra/local/free-port.ts';

const run = promisify(execFile);

/** The emulator, from PyPI, and the least Python that it runs on. */
const emulatorPackage = 'localemu==1.3.2';
const leastPython = 12;
const cache = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'stockroom-rehearsal');
const startTimeoutSeconds = 180;

/** Why there is no rehearsal, as a sentence that says what to do. */
export class RehearsalError extends Error {
  override readonly name = 'RehearsalError';
}

/** An emulated AWS on this machine. */
export interface Emulator {
  /** What processes need in order to reach it, and nothing else. */
  readonly variables: Readonly<Record<string, string>>;
  /** Runs the AWS CLI and reads its answer; undefined when it refuses. */
  aws(...words: string[]): Promise<Readonly<Record<string, unknown>> | undefined>;
  stop(): void;
}

/** What Python may be called, or where pyenv keeps one that has no name. */
const pythons = (): string[] => {
  if (process.env.PYTHON) return [process.env.PYTHON];
  const pyenv = process.env.PYENV_ROOT ?? join(homedir(), '.pyenv');
  return ['python3.13', 'python3.12', 'python3', ...globSync(join(pyenv, 'versions', '3.1[2-9].*', 'bin', 'python3'))];
};

const isRecent = async (python: string): Promise<boolean> => {
  try {
    const { stdout } = await run(python, ['-c', 'import sys, venv; print(sys.version_info[1])']);
    return Number(stdout) >= leastPython;
  } catch {
    return false;
  }
};

const findPython = async (): Promise<string> => {
  for (const python of pythons()) if (await isRecent(python)) return python;
  throw new RehearsalError(
    `The emulator runs on Python 3.${leastPython} or newer: install one, with its module venv, and set PYTHON to it.`,
  );
};

/** Installs the emulator below node_modules, once. */
const install = async (): Promise<string> => {
  const bin = join(cache, 'venv', 'bin');
  if (existsSync(join(bin, 'localemu'))) return bin;
  const python = await findPython();
  mkdirSync(cache, { recursive: true });
  console.log(`Installing ${emulatorPackage} from PyPI with ${python} …`);
  try {
    await run(python, ['-m', 'venv', join(cache, 'venv')]);
    await run(join(bin, 'pip'), ['install', '--quiet', emulatorPackage], { maxBuffer: 2 ** 26 });
  } catch (error) {
    rmSync(join(cache, 'venv'), { recursive: true, force: true });
    const { stderr } = error as { stderr?: string };
    throw new RehearsalError(`${python} cannot install ${emulatorPackage} from PyPI: ${stderr}`);
  }
  return bin;
};

const isReady = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(`${url}/_localemu/health`)).ok;
  } catch {
    return false;
  }
};

const untilReady = async (child: ChildProcess, url: string): Promise<void> => {
  for (let seconds = 0; seconds < startTimeoutSeconds && child.exitCode === null; seconds += 1) {
    if (await isReady(url)) return;
    await pause(1000);
  }
  throw new RehearsalError('The emulator does not start.');
};

/** Starts the emulator, on loopback only, with nothing in it. */
export const startEmulator = async (): Promise<Emulator> => {
  const bin = await install();
  const url = `http://127.0.0.1:${await freePort()}`;
  const home = mkdtempSync(join(tmpdir(), 'stockroom-rehearsal-'));
  const child = spawn(join(bin, 'python'), [join(import.meta.dirname, 'emulator.py')], {
    env: {
      PATH: process.env.PATH,
      HOME: home,
      GATEWAY_LISTEN: new URL(url).host,
      DNS_ADDRESS: '0',
      DISABLE_EVENTS: '1',
      SKIP_SSL_CERT_DOWNLOAD: '1',
      LOCALEMU_VOLUME_DIR: home,
    },
    stdio: 'ignore',
  });
  const stop = (): void => {
    child.kill('SIGKILL');
    rmSync(home, { recursive: true, force: true });
  };
  const variables = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    AWS_ENDPOINT_URL: url,
    // The CDK CLI writes this one into the addresses that CloudFormation reads templates from.
    AWS_ENDPOINT_URL_S3_FOR_CLOUDFORMATION: 'https://s3.us-east-1.amazonaws.com',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: 'us-east-1',
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_EC2_METADATA_DISABLED: 'true',
    CDK_DISABLE_CLI_TELEMETRY: 'true',
  };
  const aws: Emulator['aws'] = async (...words) => {
    try {
      const { stdout } = await run(join(bin, 'aws'), [...words, '--output', 'json'], {
        env: variables,
        maxBuffer: 2 ** 26,
      });
      return JSON.parse(stdout || '{}') as Record<string, unknown>;
    } catch {
      return undefined;
    }
  };
  try {
    await untilReady(child, url);
    return { variables, aws, stop };
  } catch (error) {
    stop();
    throw error;
  }
};
