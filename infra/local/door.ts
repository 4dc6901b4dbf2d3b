import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import type { AccessAttempt } from './access-check.ts';
import type { DoorDefinition } from './assembly.ts';
import type { Sinks } from './lambda.ts';
import { drainMilliseconds } from './server.ts';
import { StartError } from './start-error.ts';

/** A connection begins with the address of the client, filled up with spaces to so many characters: no IPv6 address with its zone is longer. */
export const addressLength = 64;

/** What the door opens with. */
export interface OpenDoor extends DoorDefinition {
  /** The folder of its bundle. */
  readonly bundle: string;
}

export type ToDoor = 'stop' | OpenDoor;

/** A message from the thread of the door. */
export interface FromDoor {
  /** The port that it listens on. */
  readonly listensAt?: number;
  readonly isOpen?: true;
  /** Why it cannot be opened with a bundle: the one before goes on. */
  readonly failure?: string;
  readonly access?: AccessAttempt;
}

/** The door in a thread of its own. */
export interface LocalDoor {
  /** A new connection to it, as that of the client with this address. */
  connect(address: string): Socket;
  /** Opens it, before which nobody may connect. If it is open already, it opens anew, with the bundle that is there now. */
  open(door: OpenDoor): Promise<void>;
  /** Lets it answer what it has begun. */
  stop(): Promise<void>;
}

/** Starts the thread. `variables` are those that Node reads then. */
export const startDoor = async (variables: Readonly<Record<string, string>>, sinks: Sinks): Promise<LocalDoor> => {
  const worker = new Worker(new URL('./door-worker.ts', import.meta.url), {
    // Its server takes the connections of this thread, and listens to nobody itself.
    env: { ...variables, HOST: '127.0.0.1', PORT: '0' },
    stdout: true,
    stderr: true,
  });
  for (const input of [worker.stdout, worker.stderr])
    createInterface({ input }).on('line', (line) => sinks.log(line, 'door'));
  const listening = Promise.withResolvers<number>();
  let opening = Promise.withResolvers<void>();
  worker.on('message', ({ listensAt, isOpen, failure, access }: FromDoor) => {
    if (listensAt !== undefined) listening.resolve(listensAt);
    if (isOpen) opening.resolve();
    if (failure !== undefined) opening.reject(new StartError(`The door cannot be opened: ${failure}`));
    if (access) reportAccess(access, sinks);
  });
  worker.once('error', ({ message, stack }: Error) => {
    const failure = new StartError(`The door cannot be opened: ${message}`);
    listening.reject(failure);
    opening.reject(failure);
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
  const port = await listening.promise;
  const connectAs = (address: string): Socket => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    socket.write(address.padEnd(addressLength));
    return socket;
  };
  return { connect: connectAs, open, stop };
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
