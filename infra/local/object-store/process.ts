import { mkdtempSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimDirectory, prepareDirectory } from '../data-directory.ts';
import type { FromStore, PresignedCall, ToStore } from '../object-store.ts';
import { drain, listen } from '../server.ts';
import { Files } from './files.ts';
import { listenerOf } from './server.ts';

/** Runs as the process of the store; it ends with the channel to the one that started it, so also when that one is killed. */
const tell = (message: FromStore): unknown => process.send?.(message);

process.once('disconnect', () => process.exit());

const temporaryDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), `stockroom-objects-${process.pid}-`));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  return directory;
};

/** Secrets by access key. They do not change while the store runs; a key that nobody has may get one. */
const secrets = new Map<string, string>();
/** Who waits for the secret of an access key. */
const waiting = new Map<string, PromiseWithResolvers<string | undefined>>();
const secretOf = async (accessKeyId: string): Promise<string | undefined> => {
  const known = secrets.get(accessKeyId);
  if (known !== undefined) return known;
  const asked = waiting.get(accessKeyId) ?? Promise.withResolvers();
  if (!waiting.has(accessKeyId)) tell({ asksSecretOf: accessKeyId });
  waiting.set(accessKeyId, asked);
  return asked.promise;
};

const learn = ({ accessKeyId, value }: Required<ToStore>['secret']): void => {
  if (value !== undefined) secrets.set(accessKeyId, value);
  waiting.get(accessKeyId)?.resolve(value);
  waiting.delete(accessKeyId);
};

/** Who waits for the decision about a call. */
const undecided = new Map<number, PromiseWithResolvers<string | undefined>>();
let callCount = 0;
const refusalOf = async (call: PresignedCall): Promise<string | undefined> => {
  const decision = Promise.withResolvers<string | undefined>();
  callCount += 1;
  undecided.set(callCount, decision);
  tell({ asksAbout: { number: callCount, call } });
  return decision.promise;
};

/**
 * Where others reach the store, it has the host of the API: clients that follow a redirect repeat their credential there. S3, which has
 * another host, would refuse a call with two.
 */
const withOneCredential =
  (listener: RequestListener): RequestListener =>
  (request, response) => {
    if (request.url?.includes('X-Amz-Signature=')) delete request.headers.authorization;
    listener(request, response);
  };

const start = async (host = '127.0.0.1', directory = temporaryDirectory(), reserveBytes = '0'): Promise<void> => {
  prepareDirectory(directory);
  await claimDirectory(directory);
  const files = new Files(directory, Number(reserveBytes));
  const listener = listenerOf(files, { secretOf, refusalOf });
  const server = await listen(host, 0, Promise.resolve(host === '127.0.0.1' ? listener : withOneCredential(listener)));
  // An upload may take its time.
  server.requestTimeout = 0;
  // One after the other, in the order in which they were asked for.
  let expired = Promise.resolve();
  process.on('message', ({ secret, decision, expires, stops }: ToStore) => {
    if (secret) learn(secret);
    if (decision) undecided.get(decision.number)?.resolve(decision.refusal);
    if (decision) undecided.delete(decision.number);
    if (expires) expired = expired.then(async () => files.expire(expires)).then(() => void tell({ hasExpired: true }));
    if (stops) void drain(server).then(() => process.exit());
  });
  tell({ port: (server.address() as AddressInfo).port });
};

start(process.argv[2], process.argv[3], process.argv[4]).catch(({ message }: Error) =>
  process.send?.({ problem: message }, () => process.exit()),
);
