import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { useService } from '../harness/service.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';
import { connected, DoorProcess, headOf, received } from './door-process.ts';

jest.setTimeout(60_000);

/** A door in a process of its own, and clients that nobody has allowed anything. */
const service = useService({ hasDoor: true });
const content = randomBytes(6_000_000);
const ofOneMax = 64;
const sockets: Socket[] = [];
let workspace: Named;
let files: Named;
let admin: Actor;
let door: DoorProcess;

beforeAll(async () => {
  workspace = await service.world.workspace();
  files = await service.world.repository(workspace, undefined, 'universal');
  admin = await service.world.systemAdmin();
});

beforeEach(async () => {
  door = await DoorProcess.start(service.runner, {}, service.store.url);
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await door.end();
});

const newPath = (): string => `/universal/${workspace.name}/${files.name}/${uniqueName()}/1.0.0/file.bin`;

/** Begins a request whose body does not end, and says nothing of its end. */
const begin = async (lines: readonly string[], bytes: Uint8Array | string, as = 'Bearer nobody'): Promise<Socket> => {
  const socket = await connected(door);
  socket.on('error', () => {});
  sockets.push(socket);
  socket.write(headOf(newPath(), as, lines));
  socket.write(bytes);
  return socket;
};

const put = async (as: Actor, body: Uint8Array = content) => {
  const answer = await fetch(door.url + newPath(), {
    method: 'PUT',
    headers: { authorization: as.bearer },
    body: Buffer.from(body),
  });
  return { status: answer.status, problem: (await answer.json()) as { readonly code?: string } };
};

const times = async <T>(count: number, work: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, work));

const hugeLength = 'Content-Length: 5000000000';
const aBitOfMany = ['Transfer-Encoding: chunked'] as const;

describe('A door takes of the body of a stranger', () => {
  it.each([
    ['a megabyte, if it comes fast', content, 1_200_000],
    ['what comes in five seconds, if it comes slowly', content.subarray(0, 1_000), 1_000],
  ])('%s, and closes the connection with its answer', async (_, bytes, bytesMax) => {
    const answer = await received(await begin([hugeLength], bytes));
    expect(answer).toMatch(/^HTTP\/1\.1 401 .*\r\nconnection: close\r\n.*"code":"UNAUTHENTICATED"/is);
    while (door.lines.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(door.lines[0]?.bytes).toBeLessThanOrEqual(bytesMax);
  });

  it('no more with a method that takes none', async () => {
    const socket = await connected(door);
    sockets.push(socket.on('error', () => {}));
    socket.write(headOf('/healthz', 'Bearer nobody', [hugeLength]).replace('PUT', 'GET'));
    socket.write(content);
    expect(await received(socket)).toMatch(/^HTTP\/1\.1 413 .*\r\nconnection: close\r\n/is);
  });
});

describe('A door has of each', () => {
  it('address 64 bodies at most that nobody has allowed, and refuses one more before it is read', async () => {
    await times(ofOneMax, () => begin(aBitOfMany, '5\r\nfirst\r\n'));
    expect((await put(admin, content.subarray(0, 10))).status).toBe(201);
    const refused = await begin([hugeLength], '', admin.bearer);
    expect(await received(refused)).toMatch(/^HTTP\/1\.1 429 .*"code":"RATE_LIMITED"/s);
    const { port } = new URL(door.url);
    const elsewhere = connect({ host: '127.0.0.1', port: Number(port), localAddress: '127.0.0.2' });
    await once(elsewhere, 'connect');
    elsewhere.write(headOf(newPath(), admin.bearer, [`Content-Length: ${content.length}`, 'Connection: close']));
    elsewhere.write(content);
    expect(await received(elsewhere)).toMatch(/^HTTP\/1\.1 201/);
    for (const socket of sockets.splice(0)) socket.destroy();
    expect(await untilAllowed(admin)).toBe(201);
  });

  it('caller 64 uploads at most, whatever others have', async () => {
    const length = `Content-Length: ${content.length}`;
    const other = await service.world.member(workspace, 'admin');
    await times(ofOneMax / 2, () => begin([length], content.subarray(0, 1_000), admin.bearer));
    // The address may have as many that are not allowed yet.
    expect((await put(admin)).status).toBe(201);
    await times(ofOneMax / 2, () => begin([length], content.subarray(0, 1_000), admin.bearer));
    let last = await put(admin);
    // On a slow machine the door has ended some of them, for their pace.
    while (last.status === 201) {
      await begin([length], content.subarray(0, 1_000), admin.bearer);
      last = await put(admin);
    }
    expect(last).toMatchObject({ status: 429, problem: { code: 'RATE_LIMITED' } });
    expect((await put(other)).status).toBe(201);
    sockets.pop()?.destroy();
    expect(await untilAllowed(admin)).toBe(201);
  });
});

/** What the door answers when it knows that a connection has ended. */
const untilAllowed = async (as: Actor): Promise<number> => {
  let { status } = await put(as);
  while (status === 429) ({ status } = await put(as));
  return status;
};
