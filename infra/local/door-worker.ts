import { once } from 'node:events';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { AccessCheck } from './access-check.ts';
import { accessRequestsOf, objectRequestsOf, type RestCall } from './access-requests.ts';
import type { FromDoor, ListenAddress, OpenDoor, ToDoor } from './door.ts';
import { type Checks, guardCalls, hostOf } from './guarded-calls.ts';

/** Runs inside the thread of the door: has its port from the first moment, and hands connections to the bundle when it is there. */
const { host, port } = workerData as ListenAddress;
const post = (message: FromDoor): void => parentPort?.postMessage(message);

interface DoorBundle {
  readonly door: Promise<{ accept(socket: Socket): void; close(): Promise<void> }>;
}

const graceMilliseconds = 2_000;

let checks: Checks | undefined;
let opened: Awaited<DoorBundle['door']> | undefined;
const waiting = new Set<Socket>();

const accept = (socket: Socket): void => {
  if (opened) {
    opened.accept(socket);
    socket.resume();
  } else waiting.add(socket.once('close', () => waiting.delete(socket)));
};

// As Node's own HTTP server listens, but that nothing of a connection is read before there is somebody to answer.
const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, accept);
server.once('error', ({ code }: NodeJS.ErrnoException) => post({ refused: String(code) }));
server.listen(port, host, () => post({ listensAt: server.address() as AddressInfo }));

guardCalls(() => checks ?? { target: () => undefined, rest: new Map() });

/** Loads the bundle, anew if it was loaded before. */
const open = async ({ bundle, principal, statements, environment }: OpenDoor): Promise<void> => {
  Object.assign(process.env, environment);
  const check = new AccessCheck(principal, statements, (access) => post({ access }));
  checks = {
    target: (target, body) => check.refusalOf(accessRequestsOf(target, body)),
    rest: new Map([
      [hostOf(process.env.AWS_ENDPOINT_URL_S3), (call: RestCall) => check.refusalOf(objectRequestsOf(call))],
    ]),
  };
  const require = createRequire(import.meta.url);
  const file = join(bundle, 'index.js');
  delete require.cache[file];
  const before = opened;
  // Until then, the bundle before answers.
  opened = await (require(file) as DoorBundle).door;
  for (const socket of waiting) accept(socket);
  waiting.clear();
  post({ isOpen: true });
  // A request may be on its way over a connection that was handed over just now, and closing would cut it.
  if (before) setTimeout(() => void before.close(), graceMilliseconds);
};

const stop = async (): Promise<void> => {
  const closed = once(server, 'close');
  server.close();
  for (const socket of waiting) socket.destroy();
  await opened?.close();
  await closed;
  process.exit();
};

parentPort?.on('message', (message: ToDoor) => {
  if (message === 'stop') void stop();
  else open(message).catch(({ message: failure }: Error) => post({ failure }));
});
