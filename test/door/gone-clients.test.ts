import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { shareOf } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { formOf } from '../harness/uploads.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';
import { connected, DoorProcess, headOf } from './door-process.ts';

jest.setTimeout(60_000);

const service = useService({ hasDoor: true });
let files: string;
let forms: string;
let admin: Actor;
let door: DoorProcess;

beforeAll(async () => {
  const workspace: Named = await service.world.workspace();
  const repository = await service.world.repository(workspace, undefined, 'universal');
  files = `/universal/${workspace.name}/${repository.name}`;
  forms = `/1/workspaces/${workspace.name}/repositories/${repository.name}/packages/single`;
  admin = await service.world.systemAdmin();
  door = await DoorProcess.start(service.runner, {}, service.store.url);
  for (const [name, bytes] of [
    ['inline', content.subarray(0, 250_000)],
    ['large', content],
  ] as const)
    expect(
      (await fetch(`${door.url}${files}/${name}/1/f`, { method: 'PUT', headers: authorized(), body: bytes })).status,
    ).toBe(201);
});

afterAll(async () => {
  await door.end();
});

const content = randomBytes(6_000_000);
const authorized = () => ({ authorization: admin.bearer });

/** A form with one file, as it is sent. */
const form = (file: Uint8Array, part: number): readonly (string | Buffer)[] => {
  const { content: body, mediaType } = formOf([
    { field: 'packageName', value: uniqueName() },
    { field: 'packageVersion', value: '1' },
    { file: 'f', content: file },
  ]);
  const lines = [`Content-Type: ${mediaType}`, `Content-Length: ${body.length}`];
  return [headOf(forms, admin.bearer, lines).replace('PUT', 'POST'), body.subarray(0, body.length * part)];
};

/** What a client sends before it hangs up. */
const requests: Readonly<Record<string, () => readonly (string | Buffer)[]>> = {
  'a question': () => [headOf('/1/users/me', admin.bearer, []).replace('PUT', 'GET')],
  'a small body': () => [headOf(`${files}/${uniqueName()}/1/f`, admin.bearer, ['Content-Length: 5']), 'bytes'],
  'half of a small body': () => [headOf(`${files}/${uniqueName()}/1/f`, admin.bearer, ['Content-Length: 5']), 'by'],
  'a large body': () => [
    headOf(`${files}/${uniqueName()}/1/f`, admin.bearer, [`Content-Length: ${content.length}`]),
    content,
  ],
  'half of a large body': () => [
    headOf(`${files}/${uniqueName()}/1/f`, admin.bearer, [`Content-Length: ${content.length}`]),
    content.subarray(0, 3_000_000),
  ],
  'a question with a large answer': () => [headOf(`${files}/inline/1/f`, admin.bearer, []).replace('PUT', 'GET')],
  'a small form': () => form(content.subarray(0, 100_000), 1),
  'half of a small form': () => form(content.subarray(0, 100_000), 0.5),
  'a large form': () => form(content, 1),
  'half of a large form': () => form(content, 0.5),
};

describe('A client that goes away', () => {
  it.each(shareOf(Object.keys(requests), 3))(
    'after %s is no failure in the log of the door or of a function',
    async (name) => {
      const [doorLines, lines] = [door.lines.length, service.logs.length];
      // The answers are still to come when the clients hang up.
      service.proxy.answerMilliseconds = 100;
      const waits = [0, 10, 20, 40, 50, 110, 120, 190, 200, 350];
      for (const milliseconds of waits) {
        const socket = await connected(door);
        socket.on('error', () => {});
        for (const piece of requests[name]?.() ?? []) socket.write(piece);
        await pause(milliseconds);
        // Some clients say that they go.
        if (milliseconds % 40 === 0) socket.destroy();
        else socket.resetAndDestroy();
      }
      service.proxy.answerMilliseconds = 0;
      // Of a client that hung up at once, the door may know nothing.
      while (door.lines.length - doorLines < waits.length - 2 || !service.runner.isIdle()) await pause(20);
      await pause(300);
      expect(door.lines.slice(doorLines).filter(({ level }) => level !== 'INFO')).toEqual([]);
      expect(service.logs.slice(lines).filter((line) => line.includes('"level":"ERROR"'))).toEqual([]);
    },
  );

  it('in the middle of a large file is no failure of the store, which gives it whole to the next', async () => {
    const lines = service.logs.length;
    const answer = await fetch(`${door.url}${files}/large/1/f`, { headers: authorized(), redirect: 'manual' });
    const { host, port, pathname, search, href } = new URL(answer.headers.get('location') ?? '');
    for (const milliseconds of [0, 5, 20, 50, 100]) {
      const socket = connect(Number(port), 'localhost');
      socket.on('error', () => {});
      socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      await once(socket, 'data');
      // It reads no more of what comes.
      socket.pause();
      await pause(milliseconds);
      if (milliseconds % 20 === 0) socket.destroy();
      else socket.resetAndDestroy();
    }
    expect(Buffer.from(await (await fetch(href)).arrayBuffer()).equals(content)).toBe(true);
    expect(service.logs.slice(lines).filter((line) => line.includes('"level":"ERROR"'))).toEqual([]);
  });
});
