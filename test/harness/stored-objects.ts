import {
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3';
import { credentialsOf } from '../../infra/local/credentials.ts';
import { clientOf } from './object-store.ts';
import type { Service } from './service.ts';

let client: { readonly url: string; readonly s3: S3Client } | undefined;
/** One for all looks at a store: a new one costs more than a look. */
const clientFor = (url: string): S3Client => {
  if (client?.url !== url) client = { url, s3: clientOf(url, { credentials: credentialsOf('runner') }) };
  return client.s3;
};

/** The keys of the objects that hold the bytes of packages, or of those with another prefix. */
export const storedObjects = async (
  { runner }: Pick<Service, 'runner'>,
  prefix: `blobs/${string}` | 'staging/' = 'blobs/',
): Promise<Set<string>> => {
  const keys: string[] = [];
  const listed = paginateListObjectsV2(
    { client: clientFor(runner.storeUrl) },
    { Bucket: runner.bucket, Prefix: prefix },
  );
  for await (const { Contents = [] } of listed) keys.push(...Contents.map(({ Key = '' }) => Key));
  return new Set(keys);
};

/** Deletes objects behind the back of the service. */
export const loseObjects = async ({ runner }: Pick<Service, 'runner'>, keys: Iterable<string>): Promise<void> => {
  for (const Key of keys)
    await clientFor(runner.storeUrl).send(new DeleteObjectCommand({ Bucket: runner.bucket, Key }));
};

/** Leaves the first half of each object behind the back of the service. */
export const cutObjects = async ({ runner }: Pick<Service, 'runner'>, keys: Iterable<string>): Promise<void> => {
  const s3 = clientFor(runner.storeUrl);
  for (const Key of keys) {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: runner.bucket, Key }));
    const bytes = Buffer.from((await Body?.transformToByteArray()) ?? []);
    await s3.send(new PutObjectCommand({ Bucket: runner.bucket, Key, Body: bytes.subarray(0, bytes.length / 2) }));
  }
};

/** Changes a byte of each object behind the back of the service. */
export const damageObjects = async ({ runner }: Pick<Service, 'runner'>, keys: Iterable<string>): Promise<void> => {
  for (const Key of keys) {
    const s3 = clientFor(runner.storeUrl);
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: runner.bucket, Key }));
    const bytes = Buffer.from((await Body?.transformToByteArray()) ?? []);
    bytes[0] = 255 - (bytes[0] ?? 0);
    await s3.send(new PutObjectCommand({ Bucket: runner.bucket, Key, Body: bytes }));
  }
};
