import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { freePort } from './free-port.ts';
import { StartError } from './start-error.ts';

/** The table engine behind the functions. */
export interface Engine {
  readonly url: string;
  /** Resolves when the engine ends although nobody stopped it. */
  readonly exited: Promise<void>;
  stop(): Promise<void>;
}

const startTimeoutMilliseconds = 10_000;

const tableFile = 'table.sqlite';

/** An external engine: DynamoDB Local, or AWS itself. */
export const externalEngine = (url: string): Engine => ({
  url,
  exited: new Promise(() => {}),
  stop: async () => {},
});

/** Starts the embedded engine; its table is in the data directory, or only in memory. */
export const startEngine = async (dataDirectory: string | undefined): Promise<Engine> => {
  const executable = findExecutable();
  const port = await freePort();
  if (dataDirectory) closeToOthers(dataDirectory);
  const location = dataDirectory ? ['--db-path', join(dataDirectory, tableFile)] : [];
  const child = spawnBound(executable, ['serve', '--host', '127.0.0.1', '--port', `${port}`, ...location]);
  let stopping = false;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await ready(child);
  return {
    url: `http://127.0.0.1:${port}`,
    exited: new Promise((resolve) => void ended.then(() => !stopping && resolve())),
    stop: async () => {
      stopping = true;
      child.stdin?.end();
      await ended;
    },
  };
};

/** Whether the data directory has a table, also one that a start has left unfinished. */
export const hasTableFile = (directory: string): boolean => existsSync(join(directory, tableFile));

/** The table of an earlier release may be open to all users of the machine, and so may the journals beside it. */
const closeToOthers = (directory: string): void => {
  for (const name of readdirSync(directory).filter((each) => each.startsWith(tableFile))) {
    try {
      chmodSync(join(directory, name), 0o600);
    } catch {
      // It is somebody else's, or its file system knows no modes: it can be used all the same.
    }
  }
};

const findExecutable = (): string => {
  const name = `@dynoxide/${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'dynoxide');
  } catch {
    throw new StartError(
      process.platform === 'linux' && process.arch === 'x64'
        ? `The embedded table engine (${name}) is not installed: run 'npm ci' without --omit=optional.`
        : `There is no embedded table engine for ${process.platform}-${process.arch}: start DynamoDB Local with 'docker run -p 8000:8000 amazon/dynamodb-local', then run 'DYNAMODB_ENDPOINT=http://127.0.0.1:8000 npm start'.`,
    );
  }
};

/**
 * Starts a child that ends when its stdin closes, so also when this process is killed and cannot clean up. The child has
 * a session of its own: Ctrl-C in a terminal reaches only this process, and requests in flight still find their table.
 */
export const spawnBound = (executable: string, args: readonly string[]): ChildProcess =>
  spawn('/bin/sh', [join(import.meta.dirname, 'bound-child.sh'), executable, ...args], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });

const ready = (child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    let output = '';
    const fail = (reason: string) => {
      child.stdin?.end();
      reject(new StartError(`The table engine does not start: ${reason}`));
    };
    const timer = setTimeout(() => fail('it was silent for 10 seconds.'), startTimeoutMilliseconds);
    const listen = (chunk: Buffer) => {
      output += chunk.toString();
      if (!output.includes('listening on')) return;
      clearTimeout(timer);
      for (const stream of [child.stdout, child.stderr]) stream?.off('data', listen).resume();
      resolve();
    };
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
    child.once('error', (error) => fail(error.message));
    child.once('exit', (code) => {
      clearTimeout(timer);
      fail(output.trim().replaceAll(/\s*\n\s*/g, ' ') || `it ended with code ${code}.`);
    });
  });
