import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, existsSync, mkdirSync, realpathSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, resolve } from 'node:path';
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

/**
 * Keeps a second runner out of the directory until the returned function is called. The claim is a socket of Linux's
 * abstract namespace: it has no file, so even a killed process leaves nothing stale behind.
 */
export const claimDirectory = async (directory: string): Promise<() => void> => {
  if (process.platform !== 'linux') return () => {};
  const name = createHash('sha256').update(realpathSync(directory)).digest('hex').slice(0, 32);
  const claim = createServer().listen(`\0stockroom-${name}`);
  try {
    await once(claim, 'listening');
  } catch {
    throw new StartError(
      `The data directory ${directory} is in use by another running instance: stop that one, or set DATA_DIR to another directory.`,
    );
  }
  claim.unref();
  return () => claim.close();
};
