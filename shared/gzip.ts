import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip, gunzip, gunzipSync, gzip, gzipSync } from 'node:zlib';

/** Fewer bytes are done before another thread would have begun. */
const threadBytesMin = 16 * 1024;

const compress = promisify(gzip);
const inflate = promisify(gunzip);

/** Compresses bytes, in another thread if they are many. */
export const gzipped = async (bytes: Uint8Array | string, level?: number): Promise<Buffer> =>
  bytes.length < threadBytesMin ? gzipSync(bytes, { level }) : compress(bytes, { level });

/** Compresses parts as one, each in another thread before the next one is made. */
export const gzippedParts = async (parts: Iterable<Uint8Array>): Promise<Buffer> => {
  const gzipping = createGzip();
  const [compressed] = await Promise.all([buffer(gzipping), pipeline(Readable.from(parts), gzipping)]);
  return compressed;
};

/** Inflates what this service has compressed, in another thread if it is much. */
export const gunzipped = async (bytes: Uint8Array): Promise<Buffer> =>
  bytes.length < threadBytesMin ? gunzipSync(bytes) : inflate(bytes);
