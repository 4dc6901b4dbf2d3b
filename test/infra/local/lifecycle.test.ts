import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateMultipartUploadCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { credentialsOf } from '../../../infra/local/credentials.ts';
import { lifecycleOf } from '../../../infra/local/lifecycle.ts';
import { type Runner, startRunner } from '../../../infra/local/runner.ts';
import { assemblyDirectory } from '../../harness/assembly.ts';
import { sha256 } from '../../harness/bytes.ts';
import { clientOf } from '../../harness/object-store.ts';
import { firstAdmin } from '../../harness/world.ts';

const hour = 3_600_000;
let directory: string;
let runner: Runner;
let s3: S3Client;

const start = async (): Promise<void> => {
  const place = { host: '127.0.0.1', port: 0, dataDir: directory };
  runner = await startRunner({ assembly: assemblyDirectory(), ...place, firstAdmin, logSink: () => {} });
  s3 = clientOf(runner.storeUrl, { credentials: credentialsOf('runner') });
};

const stop = async (): Promise<void> => {
  s3.destroy();
  await runner.stop();
};

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'stockroom-test-'));
  await start();
});

afterEach(async () => {
  await stop();
  rmSync(directory, { recursive: true });
});

const folderOf = (kind: 'objects' | 'uploads'): string => join(directory, 'objects', runner.bucket, kind);

/** Stores an object as if that had been some hours ago. */
const putBefore = async (Key: string, hours: number): Promise<void> => {
  await s3.send(new PutObjectCommand({ Bucket: runner.bucket, Key, Body: 'bytes' }));
  const file = join(folderOf('objects'), sha256(Key));
  const aged = readFileSync(file, 'utf8').replace(/(?<="modified":)\d+/, (now) => String(Number(now) - hours * hour));
  writeFileSync(file, aged);
};

/** Begins an upload as if that had been some hours ago. */
const beginBefore = async (Key: string, hours: number): Promise<string> => {
  const { UploadId = '' } = await s3.send(new CreateMultipartUploadCommand({ Bucket: runner.bucket, Key }));
  const then = new Date(Date.now() - hours * hour);
  utimesSync(join(folderOf('uploads'), UploadId), then, then);
  return UploadId;
};

const keys = async (): Promise<(string | undefined)[]> =>
  (await s3.send(new ListObjectsV2Command({ Bucket: runner.bucket }))).Contents?.map(({ Key }) => Key) ?? [];

describe('A local start', () => {
  it('removes what was staged two days ago, and uploads that were begun a day ago, as the deployed bucket does', async () => {
    await putBefore('staging/old', 49);
    await putBefore('staging/young', 47);
    await putBefore('blobs/old', 490);
    await beginBefore('staging/begun', 25);
    const young = await beginBefore('staging/young', 23);
    await stop();

    await start();
    const deadline = Date.now() + 20_000;
    while (readdirSync(folderOf('uploads')).length > 1 && Date.now() < deadline) await keys();
    expect(await keys()).toEqual(['blobs/old', 'staging/young']);
    expect(readdirSync(folderOf('uploads'))).toEqual([young]);
    const parts = new ListPartsCommand({ Bucket: runner.bucket, Key: 'staging/young', UploadId: young });
    await expect(s3.send(parts)).resolves.toBeDefined();
  });
});

describe('The lifecycle of a bucket', () => {
  const staging = { Prefix: 'staging/', ExpirationInDays: 3 };
  const uploads = { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 2 } };
  const ofRules = (...Rules: object[]) =>
    lifecycleOf({
      type: 'AWS::S3::Bucket',
      arn: '',
      properties: { LifecycleConfiguration: { Rules } },
      metadata: {},
    });

  it('is read from its rules', () => {
    expect(ofRules(uploads, staging)).toEqual({ staging: 72 * hour, uploads: 48 * hour });
  });

  it.each([
    ['a rule less', [staging]],
    ['a rule more', [staging, uploads, { Prefix: 'blobs/', ExpirationInDays: 1 }]],
    ['another prefix', [uploads, { Prefix: 'blobs/', ExpirationInDays: 1 }]],
  ])('is refused with %s, not passed over', (_, rules) => {
    expect(() => ofRules(...rules)).toThrow('The local runner knows the lifecycle of');
  });
});
