import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Runner, startRunner } from '../../infra/local/runner.ts';
import { assemblyWithDoor } from '../harness/assembly.ts';
import { sha256 } from '../harness/bytes.ts';
import { accountHeader } from '../harness/credentials.ts';
import { firstAdmin } from '../harness/world.ts';

jest.setTimeout(300_000);

/** A disk of its own in memory, which only root can mount: `npm run test:disk`. */
const directory = mkdtempSync(join(tmpdir(), 'stockroom-disk-'));
const filler = join(directory, 'filler');
const kept = randomBytes(6_000_000);
let runner: Runner;

beforeAll(() => {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'tmpfs', directory]);
});

afterAll(async () => {
  await runner.stop();
  execFileSync('umount', ['--lazy', directory]);
  rmSync(directory, { recursive: true });
});

const start = async (reserveBytes?: number): Promise<void> => {
  const doorBundle = join(assemblyWithDoor(), 'door');
  const place = { host: '127.0.0.1', port: 0, dataDir: join(directory, 'data'), firstAdmin };
  const reserve = reserveBytes === undefined ? {} : { reserveBytes };
  runner = await startRunner({ assembly: assemblyWithDoor(), doorBundle, ...place, ...reserve, logSink: () => {} });
};

const send = async (method: string, path: string, body?: Buffer | object) => {
  const isBytes = Buffer.isBuffer(body);
  const type = { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' };
  const startedAt = Date.now();
  const answer = await fetch(runner.url + path, {
    method,
    headers: { authorization: accountHeader(firstAdmin.username, firstAdmin.password), ...(body && type) },
    ...(body && { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  process.stdout.write(`${method} ${path}: ${answer.status} after ${Date.now() - startedAt} ms\n`);
  return { status: answer.status, bytes };
};

const pathOf = (name: string): string => `/universal/acme/files/${name}/1/file.bin`;

/** Another program takes all that is left. */
const fill = (): void => {
  expect(() => writeFileSync(filler, Buffer.alloc(200_000_000))).toThrow('ENOSPC');
};

const expectFull = async (method: string, path: string, body?: Buffer | object): Promise<void> => {
  const { status, bytes } = await send(method, path, body);
  expect([status, bytes.toString()]).toEqual([503, expect.stringContaining('the disk of the service is full')]);
};

it('A service on a full disk says so, reads, and goes on when there is room again, with all that it acknowledged', async () => {
  // Without a reserve, what writes meets ENOSPC: the store in the middle of a body, and the table.
  await start(0);
  expect((await send('POST', '/1/workspaces', { name: 'acme' })).status).toBe(201);
  const files = { name: 'files', packageType: 'universal' };
  expect((await send('POST', '/1/workspaces/acme/repositories/local', files)).status).toBe(201);
  expect((await send('PUT', pathOf('kept'), kept)).status).toBe(201);
  await expectFull('PUT', pathOf('huge'), Buffer.alloc(200_000_000));
  fill();
  await expectFull('PUT', pathOf('large'), kept);
  await expectFull('PUT', pathOf('small'), kept.subarray(0, 1_000));
  await expectFull('POST', '/1/workspaces/acme/repositories/local', { ...files, name: 'more' });
  expect(sha256((await send('GET', pathOf('kept'))).bytes)).toBe(sha256(kept));
  rmSync(filler);
  expect((await send('PUT', pathOf('after'), kept)).status).toBe(201);
  await runner.stop();

  // With it, nothing comes so far.
  await start();
  expect((await send('GET', '/readyz')).status).toBe(200);
  await expectFull('PUT', pathOf('huge'), Buffer.alloc(100_000_000));
  writeFileSync(filler, Buffer.alloc(100_000_000));
  await expectFull('GET', '/readyz');
  await expectFull('PUT', pathOf('small'), kept.subarray(0, 1_000));
  expect(sha256((await send('GET', pathOf('after'))).bytes)).toBe(sha256(kept));
  expect((await send('DELETE', pathOf('after'))).status).toBe(200);
  rmSync(filler);
  expect((await send('GET', '/readyz')).status).toBe(200);
  expect((await send('PUT', pathOf('small'), kept.subarray(0, 1_000))).status).toBe(201);
  expect(sha256((await send('GET', pathOf('kept'))).bytes)).toBe(sha256(kept));
});
