import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { digestOf, useImages } from '../harness/images.ts';
import { whenAvailable } from '../harness/retry.ts';
import { useService } from '../harness/service.ts';
import { Wire } from '../harness/wire.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';
import { connected, DoorProcess, headOf, received } from './door-process.ts';

// Two hundred megabytes go through one after the other.
jest.setTimeout(180_000);

/** A door in a process of its own, and clients that send the beginning of a large body and then nothing for a while. */
const service = useService({ hasDoor: true });
const images = useImages(service);
const content = randomBytes(8_000_000);
let workspace: Named;
let files: Named;
let admin: Actor;
let door: DoorProcess;
const sockets: Socket[] = [];

beforeAll(async () => {
  workspace = await service.world.workspace();
  files = await service.world.repository(workspace, undefined, 'universal');
  admin = await service.world.systemAdmin();
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await door.end();
});

const open = async (uploadsMax: number): Promise<void> => {
  door = await DoorProcess.start(service.runner, { UPLOADS_MAX: String(uploadsMax) }, service.store.url);
};

/** Where a layer goes that is pushed in one request. */
const layerPath = async (bytes: Buffer): Promise<string> => {
  const { pathname, search } = new URL(images.withDigest(await images.begin('layers'), digestOf(bytes)), door.url);
  return pathname + search;
};

/** Pushes a layer that was answered 503, as a client does after a starved machine had no time for it. */
const pushAgain = async (bytes: Buffer): Promise<number> => {
  const wire = new Wire(door.url);
  const headers = [['Authorization', images.setting.admin.bearer]] as const;
  const { status } = await whenAvailable(async () =>
    wire.send({ method: 'PUT', path: await layerPath(bytes), headers, body: bytes }),
  );
  wire.close();
  return status;
};

const newPath = (): string => `/universal/${workspace.name}/${files.name}/${uniqueName()}/1.0.0/file.bin`;

/** Begins a body with so many bytes, of a known or of an unknown length. */
const begin = async (bytes: number, { isChunked = false, as = admin.bearer } = {}): Promise<Socket> => {
  const socket = await connected(door);
  sockets.push(socket);
  // The door closes on a stranger, perhaps while the bytes are still sent.
  if (as !== admin.bearer) socket.on('error', () => {});
  const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${content.length}`;
  socket.write(headOf(newPath(), as, [length, 'Connection: close']));
  if (isChunked) socket.write(`${content.length.toString(16)}\r\n`);
  socket.write(content.subarray(0, bytes));
  return socket;
};

/** Sends the rest of such a body, and returns the status of the answer. */
const finish = async (socket: Socket, bytes: number, { isChunked = false } = {}): Promise<string | undefined> => {
  socket.write(content.subarray(bytes));
  if (isChunked) socket.write('\r\n0\r\n\r\n');
  return /^HTTP\/1\.1 (\d+)/.exec(await received(socket))?.[1];
};

const times = async <T>(count: number, work: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, work));

/** Longer than the door needs to ask for what has come. */
const settled = async (): Promise<void> => pause(1_000);

describe('Clients that are slow', () => {
  it.each([
    ['strangers', 'Bearer nobody', 4_000_000],
    ['authorized', undefined, 100_000],
  ])('delay nobody else: %s', async (_, as, bytes) => {
    await open(16);
    for (const isChunked of [true, false]) await times(24, async () => begin(bytes, { isChunked, ...(as && { as }) }));
    await settled();
    expect(await finish(await begin(0), 0)).toBe('201');
    expect(await finish(await begin(0, { isChunked: true }), 0, { isChunked: true })).toBe('201');
  });

  it('share the memory that there is, wait unread for more, and all come to their end', async () => {
    await open(1);
    const bytes = 7_000_000;
    const kinds = [{ isChunked: false }, { isChunked: true }];
    const begun = await Promise.all(
      kinds.map(async (kind) => times(12, async () => ({ kind, socket: await begin(bytes, kind) }))),
    );
    await settled();
    const statuses = await Promise.all(begun.flat().map(async ({ kind, socket }) => finish(socket, bytes, kind)));
    expect(statuses).toEqual(Array.from({ length: 24 }, () => '201'));
    expect(door.memoryMax).toBeLessThan(200);
  });

  it('who push layers straight to the store are so many at the same time', async () => {
    await open(1);
    service.store.forget();
    const layers = await times(12, async () => {
      const bytes = Buffer.concat([randomBytes(16), content.subarray(0, 6_000_000)]);
      const path = await layerPath(bytes);
      const socket = await connected(door);
      sockets.push(socket);
      const lines = [`Content-Length: ${bytes.length}`, 'Connection: close'];
      socket.write(headOf(path, images.setting.admin.bearer, lines));
      socket.write(bytes.subarray(0, 100_000));
      return { socket, bytes };
    });
    const begun = () => service.store.calls.filter(({ method, key }) => method === 'PUT' && key.startsWith('blobs/'));
    // Each holds a MiB of the eight, and one goes beyond.
    while (begun().length < 9) await pause(10);
    await settled();
    expect(begun()).toHaveLength(9);
    for (const { socket, bytes } of layers) socket.write(bytes.subarray(100_000));
    const statuses = layers.map(async ({ socket, bytes }) => {
      const status = Number((await received(socket)).split(' ')[1]);
      return status === 503 ? pushAgain(bytes) : status;
    });
    expect(await Promise.all(statuses)).toEqual(layers.map(() => 201));
  });

  it('do not hinder small requests while there is no memory', async () => {
    await open(1);
    await times(2, async () => begin(7_500_000));
    await settled();
    const small = { method: 'PUT', headers: { authorization: admin.bearer }, body: 'small' };
    expect((await fetch(door.url + newPath(), small)).status).toBe(201);
  });
});
