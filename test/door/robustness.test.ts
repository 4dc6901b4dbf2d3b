import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { sha256 } from '../harness/bytes.ts';
import { storedObjects } from '../harness/object-store.ts';
import { useService } from '../harness/service.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';
import { connected, DoorProcess, headOf, received } from './door-process.ts';

jest.setTimeout(60_000);

/** A door in a process of its own, met by clients that are slow, hang up, or lie. */
const service = useService({ hasDoor: true });
const doors: DoorProcess[] = [];
const servers: Server[] = [];
const content = randomBytes(6_000_000);
let workspace: Named;
let files: Named;
let admin: Actor;

beforeAll(async () => {
  workspace = await service.world.workspace();
  files = await service.world.repository(workspace, undefined, 'universal');
  admin = await service.world.systemAdmin();
});

afterAll(async () => {
  for (const door of doors) await door.end();
  for (const server of servers) server.close().closeAllConnections();
});

const open = async (variables: Readonly<Record<string, string>> = {}): Promise<DoorProcess> => {
  const door = await DoorProcess.start(service.runner, variables, service.store.url);
  doors.push(door);
  return door;
};

const newPath = (): string => `/universal/${workspace.name}/${files.name}/${uniqueName()}/1.0.0/file.bin`;

interface Sent {
  readonly body?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

const put = async (door: DoorProcess, path: string, { body = content, headers = {} }: Sent = {}) => {
  const answer = await fetch(door.url + path, {
    method: 'PUT',
    headers: { authorization: admin.bearer, ...headers },
    body: Buffer.from(body),
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> };
};

const head = (path: string, lines: readonly string[]): string => headOf(path, admin.bearer, lines);

const untilTrue = async (isTrue: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isTrue())) await pause(20);
};

/** The URL of a Secrets Manager with one secret. */
const secretsWith = async (values: Readonly<Record<string, string>>): Promise<string> => {
  const secrets = createServer((_, response) => {
    response.setHeader('content-type', 'application/x-amz-json-1.1');
    response.end(JSON.stringify({ SecretString: JSON.stringify(values) }));
  }).listen(0, '127.0.0.1');
  servers.push(secrets);
  await once(secrets, 'listening');
  return `http://127.0.0.1:${(secrets.address() as AddressInfo).port}`;
};

describe('A door', () => {
  it('meets an expectation, takes chunks, and answers requests of one connection in their order', async () => {
    const door = await open();
    const [first, second] = [newPath(), newPath()];
    const socket = await connected(door);
    socket.write(head(first, ['Expect: 100-continue', `Content-Length: ${content.length}`]));
    const answers = received(socket);
    await pause(300);
    socket.write(content);
    const size = content.length.toString(16);
    socket.write(head(second, ['Transfer-Encoding: chunked', 'Connection: close']));
    socket.write(`${size}\r\n`);
    socket.write(content);
    socket.write('\r\n0\r\n\r\n');
    const text = await answers;
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 201', 'HTTP/1.1 201']);
    expect(text.match(new RegExp(sha256(content), 'g'))).toHaveLength(2);
  });

  it('answers what is not HTTP with the problem body', async () => {
    const door = await open();
    const socket = await connected(door);
    socket.write('PUT / HTTP/1.1\r\nHost: door\r\nContent-Length: one\r\n\r\n');
    expect(await received(socket)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n.*"code":"REQUEST_INVALID"/s);
  });

  it('takes from clients nothing that only it may say', async () => {
    const door = await open();
    const asked = await put(door, newPath(), { body: Buffer.from('x'), headers: { 'x-stockroom-upload': 'ask' } });
    expect({ status: asked.status, header: asked.headers.get('x-stockroom-upload') }).toEqual({
      status: 201,
      header: null,
    });
    const called = await put(door, newPath(), { body: Buffer.from('x'), headers: { 'x-stockroom-body': 'x.y' } });
    expect(called.status).toBe(201);
  });

  it('passes on what both sides say, but for what concerns one connection', async () => {
    const api = createServer((request, response) => {
      response.setHeader('X-Answered', ['one', 'two']);
      response.setHeader('Keep-Alive', 'timeout=1');
      const { method, url, headers } = request;
      // Before the body has come.
      response.end(JSON.stringify({ method, url, headers }));
    }).listen(0, '127.0.0.1');
    await once(api, 'listening');
    const apiUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}/prod`;
    const ask = async (variables: Readonly<Record<string, string>>) => {
      const door = await open({ API_URL: apiUrl, ...variables });
      const socket = await connected(door);
      const lines = [
        'Connection: close, X-Hop',
        'X-Hop: 1',
        'X-Kept: 2',
        'X-Stockroom-Viewer: 3',
        'X-Stockroom-Console: 1',
        'X-Stockroom-Edge: one',
      ];
      socket.write(
        `POST /1/x?y=%20z HTTP/1.1\r\nHost: known.example\r\n${lines.join('\r\n')}\r\nContent-Length: 6\r\n\r\n`,
      );
      const answer = received(socket);
      expect(await Promise.race([answer, pause(300, 'waits')])).toBe('waits');
      socket.write('a body');
      const [start = '', text = ''] = (await answer).split('\r\n\r\n');
      return { start, ...(JSON.parse(text) as { method: string; url: string; headers: Record<string, string> }) };
    };
    const plain = await ask({});
    expect(plain).toMatchObject({ method: 'POST', url: '/prod/1/x?y=%20z' });
    expect(plain.headers).toMatchObject({ host: 'known.example', 'x-kept': '2', 'x-forwarded-for': '127.0.0.1' });
    expect(
      Object.keys(plain.headers)
        .filter((name) => /^x-(?:hop|stockroom)/.test(name))
        .toSorted(),
    ).toEqual(['x-stockroom-console', 'x-stockroom-viewer']);
    expect(plain.headers['x-stockroom-viewer']).toBe('127.0.0.1');
    expect(plain.start.match(/^X-Answered: .*/gim)).toHaveLength(2);
    expect(plain.start).not.toMatch(/timeout=1\b/);
    const url = await secretsWith({ first: 'one' });
    const behind = await ask({
      PUBLIC_URL: 'https://known.example',
      EDGE_SECRET_ARN: 'secret',
      AWS_ENDPOINT_URL_SECRETS_MANAGER: url,
    });
    expect(behind.headers).toMatchObject({
      host: new URL(apiUrl).host,
      'x-stockroom-viewer': '3',
      'x-stockroom-edge': 'one',
    });
    api.close().closeAllConnections();
  });

  it('refuses a request that comes back to its service, without a question to the API', async () => {
    const door = await open({ API_URL: 'http://127.0.0.1:1', INSTALLATION: 'this one' });
    const mark = createHash('sha256').update('this one').digest('hex').slice(0, 16);
    const ask = async (via: string) => (await fetch(`${door.url}/1/x`, { headers: { via } })).status;
    expect([await ask(`1.1 stockroom-${mark}`), await ask('1.1 stockroom-0123456789abcdef')]).toEqual([508, 503]);
  });

  it('leaves nothing of a body that was cut, and gives its memory to the next one', async () => {
    const door = await open({ UPLOADS_MAX: '1' });
    const path = newPath();
    const before = await storedObjects(service, 'staging/');
    const socket = await connected(door);
    socket.write(head(path, ['Content-Length: 30000000']));
    socket.write(Buffer.concat([content, content]));
    await pause(300);
    socket.destroy();
    await untilTrue(() => door.lines.some(({ way }) => way === 'cut'));
    const answer = await fetch(service.runner.url + path, { headers: { authorization: admin.bearer } });
    expect(answer.status).toBe(404);
    expect((await put(door, path)).status).toBe(201);
    expect(await storedObjects(service, 'staging/')).toEqual(before);
  });

  it('answers what it has begun when it is told to end, and takes nothing new', async () => {
    const door = await open();
    const socket = await connected(door);
    socket.write(head(newPath(), [`Content-Length: ${content.length}`]));
    socket.write(content.subarray(0, 5_000_000));
    await pause(300);
    const ended = door.end('SIGTERM');
    await pause(300);
    await expect(put(door, newPath())).rejects.toThrow();
    socket.write(content.subarray(5_000_000));
    expect(await received(socket)).toMatch(/^HTTP\/1\.1 201/);
    expect(await ended).toBe(0);
  });

  it('says so when the API does not answer, when the store fails, and goes on afterwards', async () => {
    const nobody = createServer().listen(0, '127.0.0.1');
    await once(nobody, 'listening');
    const { port } = nobody.address() as AddressInfo;
    nobody.close();
    const lonely = await open({ API_URL: `http://127.0.0.1:${port}` });
    for (const body of [content, Buffer.from('small')]) {
      const { status, body: problem } = await put(lonely, newPath(), { body });
      expect({ status, code: problem.code }).toEqual({ status: 503, code: 'SERVICE_UNAVAILABLE' });
      expect(problem.detail).toContain('does not answer');
    }
    const door = await open();
    service.store.inject({ fault: 'slow-down', keyPrefix: 'staging/' });
    expect(await put(door, newPath())).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } });
    service.store.heal();
    expect((await put(door, newPath())).status).toBe(201);
  });

  it('is called by the proxy alone that knows the secret, where there is one', async () => {
    const url = await secretsWith({ first: 'one', second: 'two' });
    const door = await open({ EDGE_SECRET_ARN: 'secret', AWS_ENDPOINT_URL_SECRETS_MANAGER: url });
    const statuses: number[] = [];
    for (const value of ['', 'three', 'one', 'two']) {
      const headers: Record<string, string> = value === '' ? {} : { 'x-stockroom-edge': value };
      statuses.push((await put(door, newPath(), { headers })).status);
    }
    expect(statuses).toEqual([403, 403, 201, 201]);
    // Who lacks it is answered before the body.
    const socket = await connected(door);
    socket.write(head(newPath(), ['Content-Length: 5000000000']));
    expect(await received(socket)).toMatch(/^HTTP\/1\.1 403 .*\r\nconnection: close\r\n/is);
    await untilTrue(() => door.lines.length === 5);
    expect(door.lines[4]).toMatchObject({ way: 'refused', bytes: 0 });
  });

  it('writes one line for each request, without the query or a credential', async () => {
    const door = await open();
    const path = newPath();
    await put(door, path);
    await untilTrue(() => door.lines.length > 0);
    expect(door.lines).toEqual([
      {
        level: 'INFO',
        message: 'request',
        requestId: expect.any(String),
        method: 'PUT',
        path,
        status: 201,
        way: 'staged',
        bytes: content.length,
        durationMilliseconds: expect.any(Number),
      },
    ]);
  });
});
