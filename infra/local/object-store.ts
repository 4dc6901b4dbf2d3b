import { fork } from 'node:child_process';
import { once } from 'node:events';
import { hostForOthers } from './host-for-others.ts';
import type { Ages } from './object-store/files.ts';
import { StartError } from './start-error.ts';

/** Stands in for S3: the operations that the stack uses, over files. */
export interface ObjectStore {
  /** On this machine alone, another host name than the API's, as S3 has one: clients that follow a redirect there drop their credentials. */
  readonly url: string;
  readonly pid: number | undefined;
  /** Resolves when the store ends without having been told to. */
  readonly exited: Promise<void>;
  /** The lifecycle of the buckets, now: removes what is older under `staging/`, and uploads that were begun longer ago. */
  expire(ages: Ages): Promise<void>;
  stop(): Promise<void>;
}

export interface ObjectStoreOptions {
  /** Where the API listens: if others reach it there, they reach the store, too. The default is this machine alone. */
  readonly host?: string;
  /** Where the objects live; without one they go when the store stops. */
  readonly directory: string | undefined;
  /** How many bytes of the disk of the directory nothing is stored in. */
  readonly reserveBytes?: number;
  /** The secret of an access key, which stays the same; undefined for a key that nobody has, which is asked for again. */
  readonly secretOf: (accessKeyId: string) => string | undefined;
  /** Why the holder of an access key may not make a call, in the words of AWS; undefined if nothing forbids it. */
  readonly refusalOf?: (call: PresignedCall) => string | undefined;
}

/** A call with a presigned URL: anybody may make it whom the signer gave the URL, and it has the rights of the signer. */
export interface PresignedCall {
  readonly accessKeyId: string;
  readonly method: string;
  /** As it was sent: the bucket first, everything encoded, the query behind it. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ToStore {
  readonly secret?: { readonly accessKeyId: string; readonly value: string | undefined };
  readonly decision?: { readonly number: number; readonly refusal: string | undefined };
  readonly expires?: Ages;
  readonly stops?: true;
}

export interface FromStore {
  readonly port?: number;
  readonly problem?: string;
  readonly asksSecretOf?: string;
  readonly asksAbout?: { readonly number: number; readonly call: PresignedCall };
  readonly hasExpired?: true;
}

/**
 * Starts the store in a process of its own: its fsyncs then take no thread of the pool that functions hash passwords in,
 * and it can be killed alone. In a session of its own for the same reason as the table engine.
 */
export const startObjectStore = async ({
  host = '127.0.0.1',
  directory,
  reserveBytes = 0,
  secretOf,
  refusalOf = () => undefined,
}: ObjectStoreOptions): Promise<ObjectStore> => {
  const entry = new URL('./object-store/process.ts', import.meta.url);
  const name = hostForOthers(host);
  const address = name === 'localhost' ? '127.0.0.1' : host;
  const store = fork(entry, [address, ...(directory === undefined ? [] : [directory, String(reserveBytes)])], {
    detached: true,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  // A store that was killed may not have been noticed yet: what it is told then is lost, and nobody waits for it.
  const tell = (message: ToStore) => store.connected && store.send(message, () => {});
  const ended = once(store, 'exit');
  const started = Promise.withResolvers<number>();
  const expiring: (() => void)[] = [];
  let isStopping = false;
  store.on('message', ({ port, problem, asksSecretOf: accessKeyId, asksAbout, hasExpired }: FromStore) => {
    if (port !== undefined) started.resolve(port);
    if (problem !== undefined) started.reject(new StartError(problem));
    if (accessKeyId !== undefined) tell({ secret: { accessKeyId, value: secretOf(accessKeyId) } });
    if (asksAbout) tell({ decision: { number: asksAbout.number, refusal: refusalOf(asksAbout.call) } });
    if (hasExpired) expiring.shift()?.();
  });
  void ended.then(([code]) => started.reject(new StartError(`The object store ended with code ${code}.`)));
  const port = await started.promise;
  return {
    url: `http://${name}:${port}`,
    pid: store.pid,
    exited: new Promise((resolve) => void ended.then(() => !isStopping && resolve())),
    expire: async (ages) => {
      tell({ expires: ages });
      await Promise.race([new Promise<void>((resolve) => expiring.push(resolve)), ended]);
    },
    stop: async () => {
      isStopping = true;
      tell({ stops: true });
      await ended;
    },
  };
};
