import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Runner, startRunner } from '../../infra/local/runner.ts';
import { connected, DoorProcess, headOf, received } from '../door/door-process.ts';
import { assemblyWithDoor } from '../harness/assembly.ts';
import { accountHeader } from '../harness/credentials.ts';
import { digestOf, useImages } from '../harness/images.ts';
import { useService } from '../harness/service.ts';
import { firstAdmin, uniqueName } from '../harness/world.ts';

jest.setTimeout(60_000);

const sentence = 'Nothing can be stored, because the disk of the service is full. Ask its operator to make room.';
const content = randomBytes(6_000_000);

describe('A local start on a disk without room', () => {
  let directory: string;
  let runner: Runner;

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'stockroom-full-'));
  });

  const start = async (reserveBytes: number): Promise<void> => {
    const doorBundle = join(assemblyWithDoor(), 'door');
    const place = { host: '127.0.0.1', port: 0, dataDir: directory, firstAdmin, reserveBytes };
    runner = await startRunner({ assembly: assemblyWithDoor(), doorBundle, ...place, logSink: () => {} });
  };

  const send = async (method: string, path: string, body?: Buffer | object) => {
    const isBytes = Buffer.isBuffer(body);
    const type = { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' };
    const answer = await fetch(runner.url + path, {
      method,
      headers: { authorization: accountHeader(firstAdmin.username, firstAdmin.password), ...(body && type) },
      ...(body && { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
    });
    const { status, headers } = answer;
    const text = await answer.text();
    const { detail } = (/json/.test(headers.get('content-type') ?? '') ? JSON.parse(text) : {}) as { detail?: string };
    return { status, detail, retryAfter: headers.get('retry-after') };
  };

  afterAll(async () => {
    await runner.stop();
    rmSync(directory, { recursive: true });
  });

  it('refuses at once what stores something, is not ready, and goes on reading and deleting', async () => {
    const file = '/universal/acme/files/first/1/file.bin';
    await start(0);
    expect((await send('POST', '/1/workspaces', { name: 'acme' })).status).toBe(201);
    const repository = { name: 'files', packageType: 'universal' };
    expect((await send('POST', '/1/workspaces/acme/repositories/local', repository)).status).toBe(201);
    expect((await send('PUT', file, content)).status).toBe(201);
    expect((await send('GET', '/readyz')).status).toBe(200);
    await runner.stop();

    await start(Number.MAX_SAFE_INTEGER);
    const full = { status: 503, detail: sentence, retryAfter: '60' };
    expect(await send('PUT', '/universal/acme/files/small/1/file.bin', content.subarray(0, 10))).toEqual(full);
    expect(await send('PUT', '/universal/acme/files/large/1/file.bin', content)).toEqual(full);
    expect(await send('POST', '/1/workspaces', { name: 'other' })).toEqual(full);
    expect(await send('PATCH', '/1/workspaces/acme', { comments: 'x' })).toEqual(full);
    expect(await send('GET', '/readyz')).toEqual(full);
    expect((await send('GET', '/healthz')).status).toBe(200);
    expect((await send('GET', file)).status).toBe(200);
    expect((await send('DELETE', file)).status).toBe(200);
    expect((await send('GET', file)).status).toBe(404);
  });
});

describe('A store that is full', () => {
  const service = useService({ hasDoor: true });
  const images = useImages(service);
  let door: DoorProcess;

  beforeAll(async () => {
    door = await DoorProcess.start(service.runner, {}, service.store.url);
  });

  afterEach(() => service.store.heal());

  afterAll(async () => {
    await door.end();
  });

  it('is asked once, for a small body and for a large one', async () => {
    const { workspace, admin } = images.setting;
    const files = await service.world.repository(workspace, undefined, 'universal');
    service.store.inject({ fault: 'full', changes: true });
    for (const body of [content, content.subarray(0, 10)]) {
      service.store.forget();
      const path = `/universal/${workspace.name}/${files.name}/${uniqueName()}/1/file.bin`;
      const headers = { authorization: admin.bearer };
      const answer = await fetch(door.url + path, { method: 'PUT', headers, body: new Uint8Array(body) });
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '60']);
      expect(await answer.json()).toMatchObject({ code: 'SERVICE_UNAVAILABLE', detail: sentence });
      expect(service.store.calls.filter(({ method }) => method !== 'GET')).toHaveLength(1);
    }
  });

  it('is an answer to a layer that is still arriving', async () => {
    service.store.inject({ fault: 'full', method: 'PUT', keyPrefix: 'blobs/' });
    const { pathname, search } = new URL(images.withDigest(await images.begin('layers'), digestOf(content)), door.url);
    const socket = await connected(door);
    socket.write(headOf(pathname + search, images.setting.admin.bearer, [`Content-Length: ${content.length}`]));
    socket.write(content.subarray(0, 100_000));
    // The rest never comes.
    const answer = await received(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 503 .*\r\nretry-after: 60\r\n/is);
    expect(answer).toContain(sentence);
  });

  it('is an answer to a file that is still arriving, as soon as the first part of it is there', async () => {
    const { workspace, admin } = images.setting;
    const files = await service.world.repository(workspace, undefined, 'universal');
    service.store.inject({ fault: 'full', changes: true });
    const socket = await connected(door);
    const path = `/universal/${workspace.name}/${files.name}/${uniqueName()}/1/file.bin`;
    socket.write(headOf(path, admin.bearer, ['Content-Length: 100000000']));
    for (const piece of [content, content.subarray(0, 3_000_000)]) socket.write(piece);
    // The rest never comes.
    const answer = await received(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 503 .*\r\nretry-after: 60\r\n/is);
    expect(answer).toContain(sentence);
  });

  it('has its door ask once, because it says that a minute may change something', async () => {
    let asked = 0;
    const api = createServer((_, response) => {
      asked += 1;
      response.writeHead(503, { 'Retry-After': '60' }).end();
    }).listen(0, '127.0.0.1');
    await once(api, 'listening');
    const apiUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
    const other = await DoorProcess.start(service.runner, { API_URL: apiUrl }, service.store.url);
    const answer = await fetch(`${other.url}/universal/a/b/c/1/file.bin`, { method: 'PUT', body: content });
    expect([answer.status, asked]).toEqual([503, 1]);
    await other.end();
    api.close().closeAllConnections();
  });

  it('is no busy one where the table is on the same disk', async () => {
    const { workspace, admin } = images.setting;
    service.proxy.inject({ fault: 'disk-full', operation: 'TransactWriteItems', times: 9 });
    const answer = await fetch(`${door.url}/1/workspaces/${workspace.name}/repositories/local`, {
      method: 'POST',
      headers: { authorization: admin.bearer, 'content-type': 'application/json' },
      body: JSON.stringify({ name: uniqueName(), packageType: 'npm' }),
    });
    service.proxy.heal();
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '60']);
    expect(await answer.json()).toMatchObject({ detail: sentence });
  });
});
