import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from './start-error.ts';

/** Makes sure that the data directory exists and can be written. */
export const prepareDirectory = (directory: string): void => {
  try {
    makeDirectory(resolve(directory));
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartError(
      `The data directory ${directory} cannot be written (${(error as NodeJS.ErrnoException).code}): set DATA_DIR to a directory that can.`,
    );
  }
};

/** mkdir's own `recursive` never returns on a file system that answers ENOENT, such as /proc. */
const makeDirectory = (directory: string): void => {
  if (existsSync(directory)) return;
  makeDirectory(dirname(directory));
  mkdirSync(directory, { mode: 0o700 });
};

const inUse = (directory: string): StartError =>
  new StartError(
    `The data directory ${directory} is in use by another running instance: stop that one, or set DATA_DIR to another directory.`,
  );

/**
 * Keeps a second runner out of the directory until the returned function is called, also one in another container that has the same
 * volume. The lock of SQLite on a file is that of the kernel, so even a killed process leaves nothing stale behind.
 */
export const lockDirectory = (directory: string): (() => void) => {
  const file = join(directory, 'lock');
  // Whoever opens a file and closes it again gives up the locks that its process has on it.
  if (!existsSync(file)) writeFileSync(file, '', { mode: 0o600 });
  const lock = new DatabaseSync(file);
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch {
    lock.close();
    throw inUse(directory);
  }
  return () => lock.close();
};

/**
 * Keeps a second store out of the directory as long as this process runs. The claim is a socket of Linux's abstract namespace: it has
 * no file among those of the store.
 */
export const claimDirectory = async (directory: string): Promise<void> => {
  if (process.platform !== 'linux') return;
  const name = createHash('sha256').update(realpathSync(directory)).digest('hex').slice(0, 32);
  const claim = createServer().listen(`\0stockroom-${name}`);
  try {
    await once(claim, 'listening');
  } catch {
    throw inUse(directory);
  }
  claim.unref();
};
