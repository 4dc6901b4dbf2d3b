import { CreateBucketCommand, HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { Credentials } from './credentials.ts';
import { StartError } from './start-error.ts';
import { local } from './template.ts';

/** Creates the bucket of the template unless the object store has it. */
export const ensureBucket = async (bucket: string, endpoint: string, credentials: Credentials): Promise<void> => {
  const client = new S3Client({ endpoint, region: local.region, credentials, forcePathStyle: true });
  try {
    if (await exists(client, bucket)) return;
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
  } catch (error) {
    throw new StartError(
      `The object store at ${endpoint} does not provide the bucket ${bucket} (${(error as Error).name}): check that it runs and is the right one.`,
    );
  } finally {
    client.destroy();
  }
};

const exists = async (client: S3Client, bucket: string): Promise<boolean> => {
  try {
    await client.send(new HeadBucketCommand({ Bucket: bucket }));
    return true;
  } catch (error) {
    if ((error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode === 404) return false;
    throw error;
  }
};
