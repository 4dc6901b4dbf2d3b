import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { type ObjectStore, startObjectStore } from '../../../infra/local/object-store.ts';
import { bucket as Bucket, clientOf, presign, refusal, secretOf } from '../../harness/object-store.ts';

const running: { store: ObjectStore; s3: S3Client }[] = [];
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'stockroom-test-'));
});

afterEach(async () => {
  for (const { store, s3 } of running.splice(0)) {
    s3.destroy();
    await store.stop();
  }
  rmSync(directory, { recursive: true });
});

const start = async (options: Partial<Parameters<typeof startObjectStore>[0]> = {}) => {
  const store = await startObjectStore({ directory: join(directory, 'objects'), secretOf, ...options });
  const s3 = clientOf(store.url);
  running.push({ store, s3 });
  await s3.send(new CreateBucketCommand({ Bucket }));
  const put = async (Key: string, Body: string | Buffer) => s3.send(new PutObjectCommand({ Bucket, Key, Body }));
  const get = async (Key: string) => {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
    return Buffer.from((await Body?.transformToByteArray()) ?? '');
  };
  const keys = async () =>
    (await s3.send(new ListObjectsV2Command({ Bucket }))).Contents?.map(({ Key = '' }) => Key) ?? [];
  return { store, s3, put, get, keys };
};

const kill = async (store: ObjectStore): Promise<void> => {
  process.kill(Number(store.pid), 'SIGKILL');
  await store.exited;
};

const md5 = (data: Buffer): string => createHash('md5').update(data).digest('hex');

/** The names of all files below the directory. */
const files = (): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [entry.name] : [],
  );

describe('a store of an API', () => {
  it.each(['0.0.0.0', '::'])(
    'that other machines reach at %s has an address that they reach, and takes a credential beside a URL',
    async (host) => {
      const { store, put } = await start({ host });
      await put('key', 'bytes');
      const others = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).filter((one) => !one.internal));
      const { hostname } = new URL(store.url);
      const isOfOthers = others.some(({ address }) => [address, `[${address}]`].includes(hostname));
      expect([hostname, isOfOthers]).toEqual([others.length > 0 ? hostname : 'localhost', others.length > 0]);
      const headers = { authorization: 'Bearer repeated' };
      const answer = await fetch(await presign(store.url, { key: 'key' }), { headers });
      expect([answer.status, await answer.text()]).toEqual([200, 'bytes']);
    },
  );

  it.each(['127.0.0.1', 'localhost', '::1'])('that nobody else reaches at %s has another name', async (host) => {
    const { store, put } = await start({ host });
    await put('key', 'bytes');
    expect(store.url).toMatch(/^http:\/\/localhost:\d+$/);
    const headers = { authorization: 'Bearer repeated' };
    expect((await fetch(await presign(store.url, { key: 'key' }), { headers })).status).toBe(400);
  });
});

describe('a store in a directory', () => {
  it('takes no more where less than its reserve is free, and gives and removes what it has', async () => {
    const { store, put } = await start();
    await put('before', 'bytes');
    await store.stop();
    running.pop()?.s3.destroy();
    const { s3, put: putMore, get, keys } = await start({ reserveBytes: Number.MAX_SAFE_INTEGER });
    const full = { name: 'InsufficientStorage', $metadata: expect.objectContaining({ httpStatusCode: 507 }) as object };
    await expect(putMore('more', 'bytes')).rejects.toMatchObject(full);
    const upload = s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'parts' }));
    await expect(upload).rejects.toMatchObject(full);
    expect((await get('before')).toString()).toBe('bytes');
    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'before' }));
    expect(await keys()).toEqual([]);
  });

  it('holds what it acknowledged, and nothing in part, whenever it is killed', async () => {
    const acknowledged = new Map<string, string>();
    for (let round = 0; round < 3; round += 1) {
      const { store, put } = await start();
      const writer = async (name: string) => {
        for (let count = 0; ; count += 1) {
          const data = randomBytes(50_000);
          await put(`${round}/${name}/${count}`, data);
          acknowledged.set(`${round}/${name}/${count}`, md5(data));
        }
      };
      const writers = Promise.allSettled(['a', 'b', 'c', 'd'].map(writer));
      await pause(200 + 50 * round);
      await kill(store);
      await writers;
      const again = await start();
      const found = new Set(await again.keys());
      expect([...acknowledged.keys()].filter((key) => !found.has(key))).toEqual([]);
      for (const [key, hash] of acknowledged) expect(md5(await again.get(key))).toBe(hash);
      for (const key of found) expect((await again.get(key)).length).toBe(50_000);
      await kill(again.store);
    }
    expect(acknowledged.size).toBeGreaterThan(20);
  }, 60_000);

  it('keeps uploads that are under way', async () => {
    const first = await start();
    const { UploadId } = await first.s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'upload' }));
    await kill(first.store);
    const { s3 } = await start();
    await expect(s3.send(new ListPartsCommand({ Bucket, Key: 'upload', UploadId }))).resolves.toMatchObject({});
  });

  it('forgets what was half received', async () => {
    const { store, s3 } = await start();
    const Body = Readable.from(endless());
    const half = s3
      .send(new PutObjectCommand({ Bucket, Key: 'half', Body, ContentLength: 1024 ** 3 }))
      .catch(() => 'broken');
    while (!files().some((name) => name.length === 36)) await pause(10);
    await kill(store);
    await expect(half).resolves.toBe('broken');
    const again = await start();
    await expect(again.keys()).resolves.toEqual([]);
    expect(files()).toEqual([]);
  });

  it('lets no key lead out of it', async () => {
    const { put, get } = await start();
    const keys = ['../../x', '../x', '/etc/x', 'a/../../../x', '..', '.incoming/x', 'x\0y'];
    for (const key of keys) await put(key, key);
    for (const key of keys) expect(String(await get(key))).toBe(key);
    expect(readdirSync(directory)).toEqual(['objects']);
    expect(readdirSync(join(directory, 'objects')).toSorted()).toEqual(['.incoming', '.shared', Bucket]);
    expect(files()).toHaveLength(keys.length);
    expect(files().filter((name) => !/^[\da-f]{64}$/.test(name))).toEqual([]);
  });

  it('is alone there', async () => {
    await start();
    await expect(start()).rejects.toThrow(/^The data directory .* is in use by another running instance/);
  });

  it('says what to do when there can be none', async () => {
    await expect(start({ directory: '/proc/objects' })).rejects.toThrow(
      /^The data directory \/proc\/objects cannot be/,
    );
  });
});

const endless = function* () {
  for (;;) yield Buffer.alloc(64 * 1024);
};

describe('a store without a directory', () => {
  it('leaves nothing behind when it stops', async () => {
    const { store, put } = await start({ directory: undefined });
    await put('x', 'x');
    const own = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`stockroom-objects-${store.pid}-`));
    expect(own()).toHaveLength(1);
    await store.stop();
    expect(own()).toEqual([]);
  });
});

describe('the process of a store', () => {
  it('ends with the one that started it', async () => {
    const module = pathToFileURL(join(__dirname, '../../../infra/local/object-store.ts')).href;
    const script = `const { startObjectStore } = await import('${module}');
      const { pid } = await startObjectStore({ directory: undefined, secretOf: () => undefined });
      console.log(pid);`;
    const starter = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(starter.stdout, 'data')) as [Buffer];
    const isRunning = () => {
      try {
        return process.kill(Number(line), 0);
      } catch {
        return false;
      }
    };
    expect(isRunning()).toBe(true);
    starter.kill('SIGKILL');
    for (let wait = 0; wait < 100 && isRunning(); wait += 1) await pause(50);
    expect(isRunning()).toBe(false);
  });

  it('tells when it ends by itself, and only then', async () => {
    const ended: string[] = [];
    const [killed, stopped] = [await start(), await start({ directory: undefined })];
    void killed.store.exited.then(() => ended.push('killed'));
    void stopped.store.exited.then(() => ended.push('stopped'));
    await stopped.store.stop();
    await kill(killed.store);
    expect(ended).toEqual(['killed']);
  });

  it('lets what is under way end when it stops', async () => {
    const { store, s3, put } = await start();
    const data = randomBytes(20 * 1024 ** 2);
    await put('slow', data);
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: 'slow' }));
    const stopped = store.stop();
    await expect(Promise.race([stopped, pause(100, 'still there')])).resolves.toBe('still there');
    expect(md5(Buffer.from((await Body?.transformToByteArray()) ?? ''))).toBe(md5(data));
    await stopped;
  });

  it('asks whose a key is each time until somebody has it', async () => {
    const late = { accessKeyId: 'late', secretAccessKey: 'secret' };
    const asked: string[] = [];
    let isKnown = false;
    const { store } = await start({
      secretOf: (id) => {
        asked.push(id);
        return id === late.accessKeyId && isKnown ? late.secretAccessKey : secretOf(id);
      },
    });
    const s3 = clientOf(store.url, { credentials: late });
    const put = async () => s3.send(new PutObjectCommand({ Bucket, Key: 'x', Body: 'x' }));
    for (let tries = 0; tries < 2; tries += 1)
      await expect(refusal(put())).resolves.toEqual([403, 'InvalidAccessKeyId']);
    isKnown = true;
    for (let tries = 0; tries < 2; tries += 1) await put();
    s3.destroy();
    expect(asked.filter((id) => id === late.accessKeyId)).toHaveLength(3);
  });

  it('asks whether the signer of a URL may make the call, and about no other call', async () => {
    const asked: string[] = [];
    const { store, put, keys } = await start({
      refusalOf: ({ method, path }) => {
        asked.push(`${method} ${path.split('?')[0]}`);
        return path.includes('/denied') ? 'not authorized' : undefined;
      },
    });
    await put('denied-to-urls', 'x');
    expect(asked).toEqual([]);
    const send = async (key: string) =>
      fetch(await presign(store.url, { method: 'PUT', key }), { method: 'PUT', body: 'x' });
    expect((await send('allowed')).status).toBe(200);
    const refused = await send('denied');
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('not authorized')]);
    expect(asked).toEqual([`PUT /${Bucket}/allowed`, `PUT /${Bucket}/denied`]);
    expect((await keys()).toSorted()).toEqual(['allowed', 'denied-to-urls']);
  });

  it('stores nothing of a client that hangs up', async () => {
    const { store, keys } = await start();
    const url = await presign(store.url, { method: 'PUT', key: 'broken' });
    const outgoing = request(url, { method: 'PUT', headers: { 'Content-Length': 10_000_000 } });
    outgoing.on('error', () => {});
    outgoing.write(Buffer.alloc(1_000_000));
    while (files().length === 0) await pause(10);
    outgoing.destroy();
    while (files().length > 0) await pause(10);
    await expect(keys()).resolves.toEqual([]);
  });

  it('needs no more memory for a large object than for a small one', async () => {
    const { store, s3 } = await start();
    const peak = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${store.pid}/status`, 'utf8'))?.[1]) / 1024;
    const move = async (megabytes: number) => {
      const piece = randomBytes(1024 ** 2);
      const sent = createHash('md5');
      const data = function* () {
        for (let count = 0; count < megabytes; count += 1) {
          sent.update(piece);
          yield piece;
        }
      };
      const put = { Body: Readable.from(data()), ContentLength: megabytes * 1024 ** 2 };
      await s3.send(new PutObjectCommand({ Bucket, Key: 'large', ...put }));
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: 'large' }));
      const received = createHash('md5');
      for await (const chunk of Body as Readable) received.update(chunk as Buffer);
      expect(received.digest('hex')).toBe(sent.digest('hex'));
    };
    await move(20);
    const before = peak();
    await move(200);
    // What the garbage collector leaves lying about is far less than the object.
    expect(peak() - before).toBeLessThan(100);
  }, 60_000);
});

describe('pages of other origins', () => {
  const asks = (url: string, method: string, headers: string) =>
    fetch(`${url}/${Bucket}/staging/a`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://page.example',
        'Access-Control-Request-Method': method,
        ...(headers && { 'Access-Control-Request-Headers': headers }),
      },
    });

  it('may send an upload, and nothing else', async () => {
    const { store } = await start();
    for (const headers of ['', 'x-amz-checksum-sha256']) {
      const answer = await asks(store.url, 'PUT', headers);
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
      expect(answer.headers.get('access-control-allow-methods')).toBe('PUT');
    }
    for (const [method, headers] of [
      ['GET', ''],
      ['DELETE', ''],
      ['PUT', 'authorization'],
      ['PUT', 'x-amz-checksum-sha256, x-amz-acl'],
    ] as const)
      expect((await asks(store.url, method, headers)).status).toBe(403);
  });

  it('read the answer to an upload alone', async () => {
    const { store } = await start();
    const origin = { Origin: 'https://page.example' };
    const ofPut = await fetch(`${store.url}/${Bucket}/staging/a`, { method: 'PUT', body: 'bytes', headers: origin });
    expect([ofPut.status, ofPut.headers.get('access-control-allow-origin')]).toEqual([403, '*']);
    const ofGet = await fetch(`${store.url}/${Bucket}/staging/a`, { headers: origin });
    expect(ofGet.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('the lifecycle', () => {
  it('removes what is old under staging/, and uploads that were begun long ago', async () => {
    const { store, s3, put, keys } = await start();
    const begin = async (Key: string) => s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    const isThere = async ({ Key, UploadId }: Awaited<ReturnType<typeof begin>>) =>
      s3.send(new ListPartsCommand({ Bucket, Key, UploadId })).then(
        () => true,
        () => false,
      );
    await put('staging/old', 'x');
    await put('blobs/staging/old', 'x');
    const old = await begin('blobs/old');
    const between = Date.now();
    await pause(2000);
    await put('staging/new', 'x');
    const young = await begin('blobs/new');
    await store.expire({ staging: 3_600_000, uploads: 3_600_000 });
    await expect(keys()).resolves.toHaveLength(3);
    await store.expire({ staging: Date.now() - between, uploads: 3_600_000 });
    await expect(keys()).resolves.toEqual(['blobs/staging/old', 'staging/new']);
    await expect(isThere(old)).resolves.toBe(true);
    await store.expire({ staging: 3_600_000, uploads: Date.now() - between });
    await expect(Promise.all([isThere(old), isThere(young)])).resolves.toEqual([false, true]);
    await expect(keys()).resolves.toHaveLength(2);
  });

  it('passes over a damaged object', async () => {
    const { store, put, keys } = await start();
    await Promise.all(['staging/a', 'staging/b', 'staging/c'].map(async (key) => put(key, 'x')));
    const objects = join(directory, 'objects', Bucket, 'objects');
    // The first one that the lifecycle comes to.
    const damaged = join(objects, readdirSync(objects)[0] ?? '');
    const whole = readFileSync(damaged);
    writeFileSync(damaged, 'x');
    await store.expire({ staging: -1000, uploads: 0 });
    writeFileSync(damaged, whole);
    await expect(keys()).resolves.toHaveLength(1);
  });
});
