import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { AccessCheck } from './access-check.ts';
import { accessRequestsOf, objectRequestsOf, type RestCall } from './access-requests.ts';
import type { DoorThread, FromDoor } from './door.ts';
import { type Checks, guardCalls, hostOf } from './guarded-calls.ts';

/** Runs inside the thread of the door: loads its bundle, which begins to listen. */
const { bundle, principal, statements } = workerData as DoorThread;
const post = (message: FromDoor): void => parentPort?.postMessage(message);

const check = new AccessCheck(principal, statements, (access) => post({ access }));
const checks: Checks = {
  target: (target, body) => check.refusalOf(accessRequestsOf(target, body)),
  rest: new Map([
    [hostOf(process.env.AWS_ENDPOINT_URL_S3), (call: RestCall) => check.refusalOf(objectRequestsOf(call))],
  ]),
};
guardCalls(() => checks);

interface DoorBundle {
  readonly door: Promise<{ close(): Promise<void> }>;
}

const { door } = createRequire(import.meta.url)(join(bundle, 'index.js')) as DoorBundle;
const opened = await door;
parentPort?.once('message', () => void opened.close().then(() => process.exit()));
post({ isOpen: true });
