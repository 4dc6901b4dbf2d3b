import { createHash, randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { type ObjectStore, startObjectStore } from '../../../infra/local/object-store.ts';
import { bucket as Bucket, clientOf, refusal, secretOf } from '../../harness/object-store.ts';

/** The smallest part that another one may follow. */
const partBytes = 5 * 1024 ** 2;

let directory: string;
let store: ObjectStore;
let s3: S3Client;

const start = async (): Promise<void> => {
  store = await startObjectStore({ directory, secretOf });
  s3 = clientOf(store.url);
};

const stop = async (): Promise<void> => {
  s3.destroy();
  await store.stop();
};

const kill = async (): Promise<void> => {
  s3.destroy();
  process.kill(Number(store.pid), 'SIGKILL');
  await store.exited;
};

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'stockroom-test-'));
  await start();
  await s3.send(new CreateBucketCommand({ Bucket }));
});

afterEach(async () => {
  await stop();
  rmSync(directory, { recursive: true });
});

const put = async (Key: string, Body: Buffer) => s3.send(new PutObjectCommand({ Bucket, Key, Body }));
const get = async (Key: string, Range?: string) => s3.send(new GetObjectCommand({ Bucket, Key, Range }));
const bytesOf = async ({ Body }: Awaited<ReturnType<typeof get>>) =>
  Buffer.from((await Body?.transformToByteArray()) ?? '');
const remove = async (Key: string) => s3.send(new DeleteObjectCommand({ Bucket, Key }));
const copy = async (source: string, Key: string) =>
  s3.send(new CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/${source}` }));
const begin = async (Key: string) => {
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  return { Bucket, Key, UploadId };
};
type Upload = Awaited<ReturnType<typeof begin>>;
const copyPart = async (upload: Upload, PartNumber: number, source: string, CopySourceRange?: string) => {
  const call = new UploadPartCopyCommand({ ...upload, PartNumber, CopySource: `${Bucket}/${source}`, CopySourceRange });
  return { PartNumber, ETag: (await s3.send(call)).CopyPartResult?.ETag };
};

/** Makes an object of copies of another one. */
const multiply = async (source: string, Key: string, count: number): Promise<void> => {
  const upload = await begin(Key);
  const Parts = [];
  for (let number = 1; number <= count; number += 1) Parts.push(await copyPart(upload, number, source));
  await s3.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }));
};

/** What the disk holds: each file once, whatever its names. */
const storedBytes = (): number => {
  const sizes = new Map<number, number>();
  for (const { name, parentPath } of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const about = statSync(join(parentPath, name));
    if (about.isFile()) sizes.set(about.ino, about.size);
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
};

describe('a copy', () => {
  const data = randomBytes(2 * partBytes + 100);

  it('takes no space of its own, and outlives its source', async () => {
    await put('source', data);
    await copy('source', 'copy');
    await multiply('source', 'many', 3);
    await copy('many', 'copy of many');
    expect(storedBytes()).toBeLessThan(data.length + 10_000);
    for (const key of ['source', 'many']) await remove(key);
    expect((await bytesOf(await get('copy'))).equals(data)).toBe(true);
    expect((await bytesOf(await get('copy of many'))).equals(Buffer.concat([data, data, data]))).toBe(true);
    for (const key of ['copy', 'copy of many']) await remove(key);
    expect(storedBytes()).toBeLessThan(10_000);
  });

  it('leaves what is written over its source', async () => {
    await put('source', data);
    await copy('source', 'copy');
    await put('source', Buffer.from('other'));
    expect((await bytesOf(await get('copy'))).equals(data)).toBe(true);
    await put('copy', Buffer.from('another'));
    expect(storedBytes()).toBeLessThan(10_000);
  });

  it('has the checksum of its source, and the ETag of what is the same', async () => {
    const call = { Bucket, Key: 'source', Body: data, ChecksumAlgorithm: 'SHA256' } as const;
    const { ETag } = await s3.send(new PutObjectCommand(call));
    const ChecksumSHA256 = createHash('sha256').update(data).digest('base64');
    expect((await copy('source', 'copy')).CopyObjectResult).toMatchObject({ ETag, ChecksumSHA256 });
    const upload = await begin('parts');
    const parts = [
      await copyPart(upload, 1, 'source'),
      await copyPart(upload, 2, 'source', 'bytes=0-9'),
      await copyPart(upload, 3, 'source', 'bytes=1-10'),
    ];
    expect(parts[0]?.ETag).toBe(ETag);
    expect(new Set(parts.map((part) => part.ETag)).size).toBe(3);
  });

  it('may be of nothing', async () => {
    await put('source', Buffer.alloc(0));
    await copy('source', 'copy');
    await remove('source');
    expect(await bytesOf(await get('copy'))).toEqual(Buffer.alloc(0));
  });

  it('is there after the store was killed, and nothing else', async () => {
    await put('source', data);
    await multiply('source', 'first', 2);
    await copy('first', 'second');
    await copyPart(await begin('unfinished'), 1, 'source');
    await remove('source');
    writeFileSync(join(directory, '.shared', 'unused'), data);
    const before = storedBytes();
    await kill();
    await start();
    expect(before - storedBytes()).toBe(data.length);
    await remove('first');
    expect((await bytesOf(await get('second'))).equals(Buffer.concat([data, data]))).toBe(true);
    await remove('second');
    expect(storedBytes()).toBeGreaterThan(data.length);
    await store.expire({ staging: 0, uploads: -1_000 });
    expect(storedBytes()).toBeLessThan(10_000);
  });

  it('goes with its upload', async () => {
    await put('source', data);
    const upload = await begin('aborted');
    await copyPart(upload, 1, 'source');
    await copyPart(upload, 1, 'source', 'bytes=0-9');
    await remove('source');
    expect(storedBytes()).toBeGreaterThan(data.length);
    await s3.send(new AbortMultipartUploadCommand(upload));
    expect(storedBytes()).toBeLessThan(10_000);
  });

  it('leaves nothing when it is refused', async () => {
    await put('source', data);
    await put('there', Buffer.from('kept'));
    const call = { Bucket, Key: 'there', CopySource: `${Bucket}/source`, IfNoneMatch: '*' };
    await expect(refusal(s3.send(new CopyObjectCommand(call)))).resolves.toEqual([412, 'PreconditionFailed']);
    await remove('source');
    expect(await bytesOf(await get('there'))).toEqual(Buffer.from('kept'));
    expect(storedBytes()).toBeLessThan(10_000);
  });

  it('is read to its end by whoever has begun, though it is removed', async () => {
    await put('source', randomBytes(8 * partBytes));
    await multiply('source', 'copy', 2);
    const [begun, cut] = [await get('copy'), await get('copy')];
    await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'copy' }, { Key: 'source' }] } }));
    (cut.Body as Readable).destroy();
    expect(await bytesOf(begun)).toHaveLength(16 * partBytes);
    for (let wait = 0; wait < 100 && storedBytes() > 10_000; wait += 1) await pause(50);
    expect(storedBytes()).toBeLessThan(10_000);
  });
});

/** Where the data of all copies is. */
const shared = () => join(directory, '.shared');

describe('a copy whose data is lost', () => {
  it('counts as absent, so that whoever stores it again heals it', async () => {
    await put('source', randomBytes(partBytes));
    await multiply('source', 'copy', 2);
    for (const file of readdirSync(shared())) rmSync(join(shared(), file));
    const call = { Bucket, Key: 'copy' };
    await expect(refusal(s3.send(new HeadObjectCommand(call)))).resolves.toEqual([404, 'NotFound']);
    await expect(refusal(get('copy'))).resolves.toEqual([404, 'NoSuchKey']);
    await expect(refusal(copy('copy', 'another'))).resolves.toEqual([404, 'NoSuchKey']);
    const { Contents } = await s3.send(new ListObjectsV2Command({ Bucket }));
    expect(Contents?.map(({ Key }) => Key)).toEqual(['source']);
    await s3.send(new PutObjectCommand({ ...call, Body: 'again', IfNoneMatch: '*' }));
    expect(await bytesOf(await get('copy'))).toEqual(Buffer.from('again'));
  });

  it('is read as often as anybody likes where it is put back while the store runs', async () => {
    const data = randomBytes(partBytes);
    await put('source', data);
    await multiply('source', 'copy', 1);
    await stop();
    const kept = mkdtempSync(join(tmpdir(), 'stockroom-test-'));
    cpSync(directory, kept, { recursive: true });
    rmSync(shared(), { recursive: true });
    await start();
    cpSync(kept, directory, { recursive: true });
    rmSync(kept, { recursive: true });
    for (let times = 0; times < 3; times += 1) expect((await bytesOf(await get('copy'))).equals(data)).toBe(true);
  });
});

describe('an object of parts', () => {
  it('takes no space beside them', async () => {
    const upload = await begin('whole');
    const parts = [randomBytes(partBytes), randomBytes(100)];
    const Parts = [];
    for (const [index, Body] of parts.entries()) {
      const PartNumber = index + 1;
      Parts.push({ ...(await s3.send(new UploadPartCommand({ ...upload, PartNumber, Body }))), PartNumber });
    }
    await s3.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }));
    expect(storedBytes()).toBeLessThan(partBytes + 10_000);
    expect((await bytesOf(await get('whole'))).equals(Buffer.concat(parts))).toBe(true);
    await remove('whole');
    expect(storedBytes()).toBeLessThan(10_000);
  });

  it('may be of thousands, and any range of it is read', async () => {
    const data = randomBytes(partBytes + 1);
    await put('1', data);
    await multiply('1', '15', 15);
    await multiply('15', '225', 15);
    await multiply('225', '2250', 10);
    const { ContentLength } = await get('2250', 'bytes=0-0');
    expect(ContentLength).toBe(1);
    const first = 1_234 * data.length - 10;
    const found = await bytesOf(await get('2250', `bytes=${first}-${first + data.length + 19}`));
    expect(found.equals(Buffer.concat([data.subarray(-10), data, data.subarray(0, 10)]))).toBe(true);
    const end = await bytesOf(await get('2250', 'bytes=-7'));
    expect(end.equals(data.subarray(-7))).toBe(true);
  });
});
