import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { StartError } from './start-error.ts';

/** The first system admin to create; by default `admin`, with a random password. */
export interface FirstAdminWish {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** The file to write a token of that admin to. */
  readonly tokenFile?: string | undefined;
}

export interface FirstAdmin {
  readonly username: string;
  readonly password: string;
}

export type FirstAdminOutcome = 'created' | 'not needed' | { readonly problem: string };

/**
 * Creates the first system admin; returns undefined when the table has one. It runs in a thread of its own, because the
 * table code reads its settings from the environment variables, which each thread has for itself.
 */
export const ensureFirstAdmin = async (
  { username = 'admin', password = randomBytes(18).toString('base64url'), tokenFile }: FirstAdminWish,
  variables: Readonly<Record<string, string>>,
): Promise<FirstAdmin | undefined> => {
  const worker = new Worker(new URL('./first-admin-worker.ts', import.meta.url), {
    env: variables,
    workerData: { username, password, tokenFile },
  });
  const [outcome] = (await once(worker, 'message')) as [FirstAdminOutcome];
  if (typeof outcome === 'object') throw new StartError(outcome.problem);
  return outcome === 'created' ? { username, password } : undefined;
};
