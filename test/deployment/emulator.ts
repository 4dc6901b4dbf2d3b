import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The emulator, from PyPI; it needs Python 3.13. */
const emulatorPackage = 'localemu==1.3.2';
const cache = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'stockroom-rehearsal');
const startTimeoutSeconds = 180;

/** An emulated AWS on this machine. */
export interface Emulator {
  /** What processes need in order to reach it, and nothing else. */
  readonly variables: Readonly<Record<string, string>>;
  /** Runs the AWS CLI and reads its answer; undefined when it answers nothing or refuses. */
  aws(...words: string[]): Promise<Readonly<Record<string, unknown>> | undefined>;
  stop(): void;
}

/** Installs the emulator below node_modules, once. */
const install = async (): Promise<string> => {
  const bin = join(cache, 'venv', 'bin');
  if (existsSync(join(bin, 'localemu'))) return bin;
  mkdirSync(cache, { recursive: true });
  const python = process.env.PYTHON ?? 'python3.13';
  console.log(`Installing ${emulatorPackage} from PyPI with ${python} …`);
  try {
    await run(python, ['-m', 'venv', join(cache, 'venv')]);
    await run(join(bin, 'pip'), ['install', '--quiet', emulatorPackage], { maxBuffer: 2 ** 26 });
  } catch (error) {
    rmSync(join(cache, 'venv'), { recursive: true, force: true });
    throw new Error('Set PYTHON to a Python 3.13 that may install from PyPI.', { cause: error });
  }
  return bin;
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
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
  throw new Error('The emulator does not start.');
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
      return stdout === '' ? undefined : (JSON.parse(stdout) as Record<string, unknown>);
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
