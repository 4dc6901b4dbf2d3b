import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { sha256 } from '../harness/bytes.ts';
import { storedObjects } from '../harness/object-store.ts';
import { roundsOf } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { brokenContent } from '../harness/stored-packages.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';
import { DoorProcess } from './door-process.ts';

/** How many requests are cut, and how often the door is killed: `npm run test:door` does more. */
const cuts = Number(process.env.DOOR_CUTS ?? roundsOf(20));
const kills = Number(process.env.DOOR_KILLS ?? 4);

jest.setTimeout(60_000 + 2_000 * (cuts + 4 * kills));

const service = useService({ hasDoor: true });
let workspace: Named;
let files: Named;
let admin: Actor;
let door: DoorProcess;

const openDoor = async (): Promise<DoorProcess> => DoorProcess.start(service.runner, {}, service.store.url);

beforeAll(async () => {
  workspace = await service.world.workspace();
  files = await service.world.repository(workspace, undefined, 'universal');
  admin = await service.world.systemAdmin();
  door = await openDoor();
});

afterAll(async () => {
  await door.end();
});

const pool = randomBytes(20_000_000);

/** A request of generated size, in one of the forms in which clients send files. */
interface Upload {
  readonly size: number;
  readonly isForm: boolean;
  readonly isChunked: boolean;
  /** Where the connection is cut: a part of the bytes on the wire, of which the last ones come after the body. */
  readonly part: number;
}

const uploads = fc.record({
  size: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 4_500_001, max: 9_000_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 9_000_001, max: 18_000_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 4_500_000 }) },
  ),
  isForm: fc.boolean(),
  isChunked: fc.boolean(),
  part: fc.oneof({ weight: 9, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) }, fc.constant(1)),
});

/** A request on the wire, and where its file is afterwards. */
const wireOf = ({ size, isForm, isChunked }: Upload) => {
  const name = uniqueName();
  const begin = randomInt(pool.length - size);
  const content = pool.subarray(begin, begin + size);
  const path = `/universal/${workspace.name}/${files.name}/${name}/1.0.0/file.bin`;
  const [mark, line] = ['--boundary', 'Content-Disposition: form-data; name='];
  const body = isForm
    ? Buffer.concat([
        Buffer.from(`${mark}\r\n${line}"packageFiles"; filename="file.bin"\r\n\r\n`),
        content,
        Buffer.from(`\r\n${mark}\r\n${line}"packageName"\r\n\r\n${name}`),
        Buffer.from(`\r\n${mark}\r\n${line}"packageVersion"\r\n\r\n1.0.0\r\n${mark}--\r\n`),
      ])
    : content;
  const form = `POST /1/workspaces/${workspace.name}/repositories/${files.name}/packages/single`;
  const lines = [
    `${isForm ? form : `PUT ${path}`} HTTP/1.1`,
    'Host: door',
    `Authorization: ${admin.bearer}`,
    ...(isForm ? ['Content-Type: multipart/form-data; boundary=boundary'] : []),
    isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`,
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
  const framed = isChunked
    ? [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]
    : [body];
  return { bytes: Buffer.concat([head, ...framed]), path, content };
};

const connected = async (): Promise<Socket> => {
  const socket = connect(Number(new URL(door.url).port), '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
};

/** What a client without a door sees: the whole file, or none. */
const seen = async (path: string): Promise<string | undefined> => {
  const answer = await fetch(service.runner.apiUrl + path, { headers: { authorization: admin.bearer } });
  if (answer.status === 404) return undefined;
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  return sha256(Buffer.from(await answer.arrayBuffer()));
};

const untilTrue = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await pause(10);
};

const untilIdle = async (): Promise<void> => {
  let idle = 0;
  // A door may still be about to call a function.
  while (idle < 3) {
    idle = service.runner.isIdle() ? idle + 1 : 0;
    await pause(15);
  }
};

/** What was seen once must be seen for ever. */
const published: { readonly path: string; readonly content: Buffer }[] = [];

const checkVisible = async (path: string, content: Buffer): Promise<void> => {
  const found = await seen(path);
  expect([undefined, sha256(content)]).toContain(found);
  if (found !== undefined) published.push({ path, content });
};

/** The keys of uploads in parts that were begun, and neither completed nor aborted. */
const unfinishedUploads = (): readonly string[] => {
  const calls = Map.groupBy(service.store.calls, ({ key }) => key);
  const isUnfinished = (methods: readonly string[]): boolean =>
    methods.filter((method) => method === 'POST').length === 1 && !methods.includes('DELETE');
  return [...calls].filter(([, of]) => isUnfinished(of.map(({ method }) => method))).map(([key]) => key);
};

describe('A request through the door', () => {
  it(`shows the whole file or none, wherever it is cut, in ${cuts} tries`, async () => {
    for (const [index, upload] of fc.sample(uploads, { numRuns: cuts }).entries()) {
      const { bytes, path, content } = wireOf(upload);
      const lines = door.lines.length;
      const socket = await connected();
      const end = Math.floor(bytes.length * upload.part);
      if (end > 0) await new Promise<void>((resolve) => socket.write(bytes.subarray(0, end), () => resolve()));
      await pause(randomInt(40));
      socket.destroy();
      // The door knows of a request whose head it has seen.
      if (end > bytes.indexOf('\r\n\r\n') + 4) await untilTrue(() => door.lines.length > lines);
      await untilIdle();
      await checkVisible(path, content);
      if (index % 50 === 0) expect(await brokenContent(service)).toEqual([]);
    }
    expect(await brokenContent(service)).toEqual([]);
    // Whoever is cut takes back what it had begun.
    expect(unfinishedUploads()).toEqual([]);
  });

  it(`shows the whole file or none, whenever the door is killed, in ${kills} tries`, async () => {
    for (const upload of fc.sample(uploads, { numRuns: kills })) {
      const wires = [wireOf(upload), wireOf({ ...upload, isChunked: !upload.isChunked })];
      for (const { bytes } of wires) {
        const socket = await connected();
        socket.write(bytes);
      }
      await pause(randomInt(400));
      await door.end('SIGKILL');
      await untilIdle();
      for (const { path, content } of wires) await checkVisible(path, content);
      door = await openDoor();
    }
    expect(await brokenContent(service)).toEqual([]);
  });

  it('has left nothing that the lifecycle of the bucket does not remove, and is served as before', async () => {
    await service.runner.expireStaging();
    expect(await storedObjects(service, 'staging/')).toEqual(new Set());
    expect(await brokenContent(service)).toEqual([]);
    for (const { path, content } of published) expect(await seen(path)).toBe(sha256(content));
    const { path, content } = wireOf({ size: 6_000_000, isForm: false, isChunked: true, part: 1 });
    const answer = await fetch(door.url + path, {
      method: 'PUT',
      headers: { authorization: admin.bearer },
      body: Buffer.from(content),
    });
    expect(answer.status).toBe(201);
    expect(await seen(path)).toBe(sha256(content));
  });
});
