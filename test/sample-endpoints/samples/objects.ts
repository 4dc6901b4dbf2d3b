import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { config } from '../../../shared/config.ts';
import type { Repository } from '../../../shared/table/repositories/repositories.ts';

const client = new S3Client({ forcePathStyle: true, maxAttempts: 1 });

const place = (Key: string) => ({ Bucket: config.storeBucket, Key });

/** The key under which the sample at a path is staged. */
export const stagingKey = ({ repositoryId }: Repository, path: string): string =>
  `staging/${repositoryId}/${createHash('sha256').update(path).digest('hex')}`;

/** The bytes under a key. */
export const readObject = async (key: string): Promise<Uint8Array> => {
  const { Body } = await client.send(new GetObjectCommand(place(key)));
  if (!Body) throw new Error('The object has no body.');
  return Body.transformToByteArray();
};

/** Writes what a stream brings, and describes it. The key may come from its content; with `*` it may be there already. */
export const writeObject = async (
  keyOf: (sha256: string) => string,
  name: string,
  stream: Readable,
  IfNoneMatch?: '*',
) => {
  const bytes = await buffer(stream);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const object = { ...place(keyOf(sha256)), Body: bytes, ...(IfNoneMatch && { IfNoneMatch }) };
  try {
    await client.send(new PutObjectCommand(object));
  } catch (error) {
    if ((error as Error).name !== 'PreconditionFailed') throw error;
  }
  return { name, sizeInBytes: bytes.length, sha256 };
};

export const deleteObject = async (key: string): Promise<void> => {
  await client.send(new DeleteObjectCommand(place(key)));
};
