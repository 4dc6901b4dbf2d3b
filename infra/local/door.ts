import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import type { AccessAttempt } from './access-check.ts';
import type { DoorDefinition } from './assembly.ts';
import type { Sinks } from './lambda.ts';
import { drainMilliseconds, sentenceOf, urlOf } from './server.ts';
import { StartError } from './start-error.ts';

/** Where the door listens. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** What the door opens with. */
export interface OpenDoor extends DoorDefinition {
  /** The folder of its bundle. */
  readonly bundle: string;
}

export type ToDoor = 'stop' | OpenDoor;

/** A message from the thread of the door. */
export interface FromDoor {
  readonly listensAt?: AddressInfo;
  /** Why it cannot listen. */
  readonly refused?: string;
  readonly isOpen?: true;
  /** Why it cannot be opened with a bundle: the one before goes on. */
  readonly failure?: string;
  readonly access?: AccessAttempt;
}

/** The door, which has its port and lets connections wait until it is opened. */
export interface LocalDoor {
  readonly url: string;
  /** Opens it. If it is open already, it opens anew, with the bundle that is there now. */
  open(door: OpenDoor): Promise<void>;
  /** Lets it answer what it has begun. */
  stop(): Promise<void>;
}

/** Takes the port, in a thread of its own. `variables` are those that Node reads when a thread starts. */
export const takeDoorPort = async (
  { host, port }: ListenAddress,
  variables: Readonly<Record<string, string>>,
  sinks: Sinks,
): Promise<LocalDoor> => {
  const worker = new Worker(new URL('./door-worker.ts', import.meta.url), {
    // Its server takes the connections of this thread, and listens to nobody itself.
    env: { ...variables, HOST: '127.0.0.1', PORT: '0' },
    workerData: { host, port } satisfies ListenAddress,
    stdout: true,
    stderr: true,
  });
  for (const input of [worker.stdout, worker.stderr])
    createInterface({ input }).on('line', (line) => sinks.log(line, 'door'));
  const listening = Promise.withResolvers<string>();
  let opening = Promise.withResolvers<void>();
  worker.on('message', ({ listensAt, refused, isOpen, failure, access }: FromDoor) => {
    if (listensAt) listening.resolve(urlOf(listensAt));
    if (refused !== undefined) listening.reject(new StartError(sentenceOf(refused, host, port)));
    if (isOpen) opening.resolve();
    if (failure !== undefined) opening.reject(new StartError(`The door cannot be opened: ${failure}`));
    if (access) reportAccess(access, sinks);
  });
  worker.once('error', ({ message, stack }: Error) => {
    opening.reject(new StartError(`The door cannot be opened: ${message}`));
    sinks.log(JSON.stringify({ level: 'ERROR', message: 'The door ended: start again.', stack }), 'door');
  });
  // Nobody may wait for it at that moment.
  opening.promise.catch(() => {});
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    worker.postMessage('stop' satisfies ToDoor);
    const late = setTimeout(() => void worker.terminate(), drainMilliseconds);
    await ended;
    clearTimeout(late);
  };
  const open = async (door: OpenDoor): Promise<void> => {
    opening = Promise.withResolvers();
    worker.postMessage(door satisfies ToDoor);
    await opening.promise;
  };
  try {
    return { url: await listening.promise, open, stop };
  } catch (error) {
    await worker.terminate();
    throw error;
  }
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
