import { paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';
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
  prefix: 'blobs/' | 'staging/' = 'blobs/',
): Promise<Set<string>> => {
  const keys: string[] = [];
  const listed = paginateListObjectsV2(
    { client: clientFor(runner.storeUrl) },
    { Bucket: runner.bucket, Prefix: prefix },
  );
  for await (const { Contents = [] } of listed) keys.push(...Contents.map(({ Key = '' }) => Key));
  return new Set(keys);
};
