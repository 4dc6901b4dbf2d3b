import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { bucket as Bucket, clientOf, presign, refusal, useObjectStore } from '../../harness/object-store.ts';
import { ObjectStoreProxy } from '../../harness/object-store-proxy.ts';

const world = useObjectStore();
let proxy: ObjectStoreProxy;
let s3: S3Client;
let patient: S3Client;

beforeAll(async () => {
  proxy = await ObjectStoreProxy.start(world.store.url);
  s3 = clientOf(proxy.url);
  patient = clientOf(proxy.url, { maxAttempts: 3 });
});
afterEach(() => {
  proxy.heal();
  proxy.forget();
});
afterAll(async () => {
  for (const client of [s3, patient]) client.destroy();
  await proxy.stop();
});

const put = async (Key: string, Body = 'x', client = s3) => client.send(new PutObjectCommand({ Bucket, Key, Body }));
const once = async (Key: string, client = s3) =>
  client.send(new PutObjectCommand({ Bucket, Key, Body: 'x', IfNoneMatch: '*' }));
/** What the proxy recorded, without the times. */
const calls = () => proxy.calls.map(({ startedAt: _startedAt, ...call }) => call);

/** Whether it is there, asked past the proxy. */
const isThere = async (Key: string): Promise<boolean> =>
  world.s3.send(new HeadObjectCommand({ Bucket, Key })).then(
    () => true,
    () => false,
  );

describe('between a client and the store', () => {
  it('everything passes as it came', async () => {
    const data = randomBytes(3 * 1024 ** 2);
    const Key = 'pass/ä +.tgz';
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: Readable.from([data]), ContentLength: data.length }));
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
    const hash = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex');
    expect(hash((await Body?.transformToByteArray()) ?? new Uint8Array())).toBe(hash(data));
    const answer = await fetch(await presign(proxy.url, { key: Key }), { headers: { Range: 'bytes=0-9' } });
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(data.subarray(0, 10));
    expect(calls()).toEqual([
      { method: 'PUT', key: Key, status: 200 },
      { method: 'GET', key: Key, status: 200 },
      { method: 'GET', key: Key, status: 206 },
    ]);
  });

  it('a refusal of the store passes too', async () => {
    await put('taken');
    await expect(refusal(once('taken'))).resolves.toEqual([412, 'PreconditionFailed']);
    expect(calls().at(-1)).toEqual({ method: 'PUT', key: 'taken', status: 412 });
  });

  it('a call may be lost before the store has it', async () => {
    proxy.inject({ fault: 'drop' });
    await expect(put('dropped')).rejects.toThrow();
    await expect(isThere('dropped')).resolves.toBe(false);
    expect(calls()).toEqual([{ method: 'PUT', key: 'dropped' }]);
  });

  it('an answer may be lost after the store has done it', async () => {
    proxy.inject({ fault: 'commit-then-drop' });
    await expect(put('committed')).rejects.toThrow();
    await expect(isThere('committed')).resolves.toBe(true);
    expect(calls()).toEqual([{ method: 'PUT', key: 'committed' }]);
  });

  it('a write that was done meets itself when it is tried again', async () => {
    proxy.inject({ fault: 'commit-then-drop', times: 1 });
    await expect(refusal(once('itself', patient))).resolves.toEqual([412, 'PreconditionFailed']);
    expect(proxy.calls.map(({ status }) => status)).toEqual([undefined, 412]);
  });

  it('a busy store is asked again', async () => {
    proxy.inject({ fault: 'slow-down', times: 1 });
    await put('busy', 'x', patient);
    expect(proxy.calls.map(({ status }) => status)).toEqual([503, 200]);
    proxy.inject({ fault: 'slow-down' });
    await expect(refusal(put('busy'))).resolves.toEqual([503, 'SlowDown']);
  });

  it('a conditional write may meet a conflict, nothing else can', async () => {
    proxy.inject({ fault: 'conflict' });
    await expect(refusal(once('conflict'))).resolves.toEqual([409, 'ConditionalRequestConflict']);
    await expect(isThere('conflict')).resolves.toBe(false);
    await put('conflict');
    await expect(s3.send(new GetObjectCommand({ Bucket, Key: 'conflict', IfMatch: '*' }))).resolves.toBeDefined();
  });

  it('a call may hang', async () => {
    proxy.inject({ fault: 'hang' });
    const cancel = new AbortController();
    const call = s3.send(new PutObjectCommand({ Bucket, Key: 'hang', Body: 'x' }), { abortSignal: cancel.signal });
    await expect(Promise.race([call, pause(300, 'hanging')])).resolves.toBe('hanging');
    cancel.abort();
    await expect(call).rejects.toThrow('aborted');
    await expect(isThere('hang')).resolves.toBe(false);
  });

  it('a fault hits the calls that it names, and no others', async () => {
    proxy.inject({ fault: 'slow-down', method: 'PUT', keyPrefix: 'named/', after: 1, times: 2 });
    const outcomes: (string | undefined)[] = [];
    for (const key of ['named/1', 'other/1', 'named/2', 'named/3', 'named/4']) {
      outcomes.push(
        await put(key).then(
          () => undefined,
          (error: Error) => error.name,
        ),
      );
      await s3.send(new GetObjectCommand({ Bucket, Key: 'taken' }));
    }
    expect(outcomes).toEqual([undefined, undefined, 'SlowDown', 'SlowDown', undefined]);
  });
});
