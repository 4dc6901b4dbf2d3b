import { buffer } from 'node:stream/consumers';
import { ApiError, unavailable } from '../errors.ts';
import { isOutage } from '../outages.ts';
import { type StreamedBody, streamSigned } from '../streamed-requests.ts';
import { failureOf } from './client.ts';
import { signed } from './signatures.ts';

/** How long nothing may go through: a client may pause while it sends. */
const silenceMilliseconds = 70_000;

/** An object that is written once, and the SHA-256 of its bytes in hex. */
export interface PlacedObject {
  readonly key: string;
  readonly sha256: string;
}

/**
 * Writes an object once while its bytes arrive. S3 itself compares their SHA-256, and stores nothing if it is another one. Returns
 * whether the object is there now. All bytes are read in any case. It cannot be repeated: throws SERVICE_UNAVAILABLE if S3 fails.
 * docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity-upload.html
 */
export const placeObject = async (
  { key, sha256 }: PlacedObject,
  body: StreamedBody,
  signal: AbortSignal,
): Promise<boolean> => {
  const headers = {
    'if-none-match': '*',
    'content-length': String(body.length),
    'x-amz-checksum-sha256': Buffer.from(sha256, 'hex').toString('base64'),
  };
  try {
    const request = await signed({ method: 'PUT', key, headers }, 'UNSIGNED-PAYLOAD');
    const answer = await streamSigned(request, body, silenceMilliseconds, signal);
    // 412: the object is there already, and so are these bytes, if the caller finds that they have the hash.
    if (answer.status === 200 || answer.status === 412) {
      answer.body.resume();
      return true;
    }
    const text = (await buffer(answer.body)).toString().slice(0, 500);
    if (answer.status === 400 && /<Code>(?:BadDigest|XAmzContentChecksumMismatch)</.test(text)) return false;
    throw failureOf(answer.status, `S3 answered ${answer.status} to a PUT: ${text}`);
  } catch (error) {
    throw isOutage(error) && !(error instanceof ApiError) ? unavailable(error) : error;
  }
};
