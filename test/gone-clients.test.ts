import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { connected, headOf } from './harness/door-clients.ts';
import { DoorProcess } from './harness/door-process.ts';
import { useService } from './harness/service.ts';
import { type Actor, type Named, uniqueName } from './harness/world.ts';

jest.setTimeout(60_000);

const service = useService({ hasDoor: true });
let files: string;
let admin: Actor;
let door: DoorProcess;

beforeAll(async () => {
  const workspace: Named = await service.world.workspace();
  const repository = await service.world.repository(workspace, undefined, 'universal');
  files = `/universal/${workspace.name}/${repository.name}`;
  admin = await service.world.systemAdmin();
  door = await DoorProcess.start(service.runner, {}, service.store.url);
});

afterAll(async () => {
  await door.end();
});

const content = randomBytes(6_000_000);

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
};

describe('A client that goes away', () => {
  it.each(Object.keys(requests))('after %s is no failure in the log of the door or of a function', async (name) => {
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
  });
});
