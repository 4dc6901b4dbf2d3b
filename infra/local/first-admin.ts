import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { passwordLength } from '../../shared/limits.ts';
import { isNewUsername, newUsernameRule } from '../../shared/usernames.ts';
import { StartError } from './start-error.ts';

/** The first system admin to create; by default `admin`, with a random password. */
export interface FirstAdminWish {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** The file to write a token of that admin to. */
  readonly tokenFile?: string | undefined;
  /** Told of the admin just before it is created, so that a start that is killed leaves no admin whose password nobody has seen. */
  readonly announce?: ((admin: FirstAdmin) => void) | undefined;
}

export interface FirstAdmin {
  readonly username: string;
  readonly password: string;
}

export type FirstAdminOutcome = 'created' | 'not needed' | { readonly problem: string };

/** A message from the thread that creates the admin: what it comes to, or that it creates the admin once it gets an answer. */
export type FromFirstAdminWorker = FirstAdminOutcome | 'about to create';

/** Throws StartError if no admin can be created by these wishes. */
export const checkFirstAdmin = ({ username, password, tokenFile }: FirstAdminWish): void => {
  if (username !== undefined && !isNewUsername(username))
    throw new StartError(`STOCKROOM_ADMIN_USERNAME must be ${newUsernameRule}.`);
  const { min, max } = passwordLength;
  const length = password === undefined ? min : Array.from(password).length;
  if (length < min || length > max)
    throw new StartError(`STOCKROOM_ADMIN_PASSWORD must have ${min} to ${max} characters.`);
  if (tokenFile === undefined) return;
  try {
    accessSync(existsSync(tokenFile) ? tokenFile : `${dirname(tokenFile)}/.`, constants.W_OK);
  } catch (error) {
    throw unwritableTokenFile(error);
  }
};

/** Says why the token cannot be written. */
export const unwritableTokenFile = (error: unknown): StartError =>
  new StartError(
    `STOCKROOM_ADMIN_TOKEN_FILE cannot be written (${(error as NodeJS.ErrnoException).code}): name a file in a folder that exists and that you may write to.`,
  );

/**
 * Creates the first system admin; returns undefined when the table has one. It runs in a thread of its own, because the
 * table code reads its settings from the environment variables, which each thread has for itself.
 */
export const ensureFirstAdmin = async (
  { username = 'admin', password = randomBytes(18).toString('base64url'), tokenFile, announce }: FirstAdminWish,
  variables: Readonly<Record<string, string>>,
): Promise<FirstAdmin | undefined> => {
  const worker = new Worker(new URL('./first-admin-worker.ts', import.meta.url), {
    env: variables,
    workerData: { username, password, tokenFile },
  });
  const next = async (): Promise<FromFirstAdminWorker> =>
    ((await once(worker, 'message')) as [FromFirstAdminWorker])[0];
  let outcome = await next();
  if (outcome === 'about to create') {
    announce?.({ username, password });
    worker.postMessage('announced');
    outcome = await next();
  }
  if (typeof outcome === 'object') throw new StartError(outcome.problem);
  return outcome === 'created' ? { username, password } : undefined;
};
