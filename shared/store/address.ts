import { config } from '../config.ts';

/**
 * What the addresses of all objects of the bucket begin with. Other engines than S3 take the bucket in the path, because they have no
 * host names for buckets.
 */
export const storeAddress = (): URL => {
  const endpoint = config.engineOf('s3');
  const bucket = config.storeBucket;
  return endpoint
    ? new URL(`/${bucket}/`, endpoint)
    : new URL(`https://${bucket}.s3.${config.awsAccess.region}.amazonaws.com/`);
};
