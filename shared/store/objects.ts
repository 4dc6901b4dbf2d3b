import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { callStore } from './client.ts';

/** Part of an object: both ends included. */
export type ByteRange = readonly [first: number, last: number];

const rangeHeaders = (range: ByteRange | undefined): Record<string, string> =>
  range ? { range: `bytes=${range[0]}-${range[1]}` } : {};

/**
 * The answers for an object that is not there. S3 says 403 to a role that may not list the bucket, and no function may.
 * docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html
 */
const absent: readonly number[] = [403, 404];

/** Reads an object, or a part of it, as a stream; undefined if there is none. */
export const streamObject = async (
  key: string,
  signal: AbortSignal,
  range?: ByteRange,
): Promise<Readable | undefined> => {
  const answer = await callStore({ method: 'GET', key, headers: rangeHeaders(range) }, [200, 206, ...absent], signal);
  if (!absent.includes(answer.status)) return answer.body;
  answer.body.resume();
  return undefined;
};

/** Reads an object, or a part of it, into memory; undefined if there is none. */
export const readObject = async (key: string, signal: AbortSignal, range?: ByteRange): Promise<Buffer | undefined> => {
  const stream = await streamObject(key, signal, range);
  return stream && (await buffer(stream));
};

/** What S3 knows of an object: its SHA-256 in hex is undefined if it was not sent with the bytes. */
export interface ObjectHead {
  readonly size: number;
  readonly sha256: string | undefined;
  readonly etag: string;
}

/** What S3 knows of an object; undefined if there is none. */
export const headObject = async (key: string, signal: AbortSignal): Promise<ObjectHead | undefined> => {
  const headers = { 'x-amz-checksum-mode': 'ENABLED' };
  const answer = await callStore({ method: 'HEAD', key, headers }, [200, ...absent], signal);
  answer.body.resume();
  if (absent.includes(answer.status)) return undefined;
  const checksum = answer.headers['x-amz-checksum-sha256'];
  return {
    size: Number(answer.headers['content-length']),
    etag: String(answer.headers.etag),
    sha256: typeof checksum === 'string' ? Buffer.from(checksum, 'base64').toString('hex') : undefined,
  };
};

/** Writes an object once. An object that is there already stays; if the key is a hash, it is the same. */
export const putObjectOnce = async (key: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> => {
  const answer = await callStore({ method: 'PUT', key, headers: { 'if-none-match': '*' } }, [200, 412], signal, bytes);
  answer.body.resume();
};

/** Writes an object in place of one that is damaged, unless that was replaced or removed in the meantime. */
export const replaceObject = async (
  { key, etag }: { readonly key: string; readonly etag: string },
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<void> => {
  const call = { method: 'PUT', key, headers: { 'if-match': etag } } as const;
  const answer = await callStore(call, [200, 412, ...absent], signal, bytes);
  answer.body.resume();
};

/** Removes an object. It is no error if the object is gone already. */
export const deleteObject = async (key: string, signal: AbortSignal): Promise<void> => {
  const answer = await callStore({ method: 'DELETE', key }, [204, 200, 404], signal);
  answer.body.resume();
};
