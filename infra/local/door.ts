import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import type { AccessAttempt } from './access-check.ts';
import type { DoorDefinition } from './assembly.ts';
import type { Sinks } from './lambda.ts';
import { StartError } from './start-error.ts';

export interface DoorOptions {
  readonly definition: DoorDefinition;
  /** The folder of its bundle. */
  readonly bundle: string;
  /** Where it listens. */
  readonly url: string;
  readonly apiUrl: string;
  /** Further environment variables; they override those of the definition. */
  readonly environment: Readonly<Record<string, string>>;
}

/** What the thread of the door needs to begin. */
export interface DoorThread extends DoorDefinition {
  readonly bundle: string;
}

/** A message from the thread of the door. */
export interface FromDoor {
  readonly isOpen?: true;
  readonly access?: AccessAttempt;
}

/** The running door. */
export interface LocalDoor {
  /** Lets it answer what it has begun. */
  stop(): Promise<void>;
  /** Stops it, and starts it again with the bundle that is there now. */
  restart(): Promise<void>;
}

/** Runs the door in a thread of its own, with its bundle. */
export const startDoor = async (options: DoorOptions, sinks: Sinks): Promise<LocalDoor> => {
  let stop = await startThread(options, sinks);
  return {
    stop: () => stop(),
    restart: async () => {
      await stop();
      stop = await startThread(options, sinks);
    },
  };
};

/** Starts the thread, and returns what stops it. */
const startThread = async (
  { definition, bundle, url, apiUrl, environment }: DoorOptions,
  sinks: Sinks,
): Promise<() => Promise<void>> => {
  const { hostname, port } = new URL(url);
  const address = { API_URL: apiUrl, HOST: hostname.replace(/^\[(.*)\]$/, '$1'), PORT: port };
  const worker = new Worker(new URL('./door-worker.ts', import.meta.url), {
    env: { ...definition.environment, ...environment, ...address },
    workerData: { ...definition, bundle } satisfies DoorThread,
    stdout: true,
    stderr: true,
  });
  for (const input of [worker.stdout, worker.stderr])
    createInterface({ input }).on('line', (line) => sinks.log(line, 'door'));
  const opened = Promise.withResolvers<void>();
  worker.on('message', ({ isOpen, access }: FromDoor) => {
    if (isOpen) opened.resolve();
    if (access) reportAccess(access, sinks);
  });
  worker.once('error', ({ message, stack }: Error) => {
    opened.reject(new StartError(`The door cannot be opened: ${message}`));
    sinks.log(JSON.stringify({ level: 'ERROR', message: 'The door ended: start again.', stack }), 'door');
  });
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  await opened.promise;
  return async () => {
    worker.postMessage('stop');
    await ended;
  };
};

const reportAccess = (access: AccessAttempt, sinks: Sinks): void => {
  sinks.access(access, 'door');
  const { isAllowed, action, resource } = access;
  if (isAllowed) return;
  sinks.log(
    JSON.stringify({ level: 'ERROR', message: 'The role of the door lacks a right', action, resource }),
    'door',
  );
};
