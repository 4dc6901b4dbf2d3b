import { once } from 'node:events';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { AccessCheck } from './access-check.ts';
import { accessRequestsOf, objectRequestsOf, type RestCall } from './access-requests.ts';
import { addressLength, type FromDoor, type OpenDoor, type ToDoor } from './door.ts';
import { type Checks, guardCalls, hostOf } from './guarded-calls.ts';

/** Runs inside the thread of the door: takes the connections of the edge, and hands them to the bundle. */
const post = (message: FromDoor): void => parentPort?.postMessage(message);

interface DoorBundle {
  readonly door: Promise<{ accept(socket: Socket): void; close(): Promise<void> }>;
}

const graceMilliseconds = 2_000;

let checks: Checks | undefined;
let opened: Awaited<DoorBundle['door']> | undefined;

/** Hands a connection over when it has said who the client is, as whose it counts from then on. */
const accept = (socket: Socket): void => {
  const read = (): void => {
    const address = socket.read(addressLength) as Buffer | null;
    if (!address) return;
    socket.off('readable', read);
    Object.defineProperty(socket, 'remoteAddress', { value: address.toString().trim() });
    opened?.accept(socket);
    socket.resume();
  };
  socket.on('readable', read).on('error', () => socket.destroy());
};

// As Node's own HTTP server listens, but that nothing of a request is read before there is somebody to answer.
const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, accept);
server.listen(0, '127.0.0.1', () => post({ listensAt: (server.address() as AddressInfo).port }));

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
  post({ isOpen: true });
  // A request may be on its way over a connection that was handed over just now, and closing would cut it.
  if (before) setTimeout(() => void before.close(), graceMilliseconds);
};

const stop = async (): Promise<void> => {
  const closed = once(server, 'close');
  server.close();
  await opened?.close();
  await closed;
  process.exit();
};

parentPort?.on('message', (message: ToDoor) => {
  if (message === 'stop') void stop();
  else open(message).catch(({ message: failure }: Error) => post({ failure }));
});
