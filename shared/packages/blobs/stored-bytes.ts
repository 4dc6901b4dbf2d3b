import { createHash } from 'node:crypto';
import { BoundedCache } from '../../bounded-cache.ts';
import { ApiError } from '../../errors.ts';
import { logLostObject } from '../../observability/log.ts';
import { blobObjectKey } from '../../store/keys.ts';
import { type ByteRange, headObject, readObject } from '../../store/objects.ts';
import type { ReceivedFile } from '../../store/received-file.ts';
import type { BlobRef } from '../../table/packages/blobs.ts';
import type { PackageFile } from '../../table/packages/packages.ts';

/** Whether a file cannot be served because the store has lost its bytes. */
export const isLost = (error: unknown): boolean => error instanceof ApiError && error.code === 'CONTENT_LOST';

/** Files up to this size are sent inline, because a redirect costs a round trip, and curl follows it only with -L. */
export const inlineBytesMax = 256 * 1024;

/** What the store has of a blob. Damaged bytes are others than its hash says. */
export type BlobState = 'intact' | 'damaged' | 'absent';

const stateOf = (bytes: Buffer | undefined, { sha256 }: BlobRef): BlobState => {
  if (!bytes) return 'absent';
  return createHash('sha256').update(bytes).digest('hex') === sha256 ? 'intact' : 'damaged';
};

/** Nothing deletes or changes an object that an item refers to, so such a loss is an error. */
const noted = (blob: BlobRef, state: BlobState): BlobState => {
  if (state !== 'intact') logLostObject(blobObjectKey(blob), state);
  return state;
};

/**
 * Reads the bytes of a blob and compares them with its hash; undefined if the object is gone or has other bytes, which is
 * logged.
 */
export const readBlob = async (blob: BlobRef, signal: AbortSignal): Promise<Buffer | undefined> => {
  const bytes = await readObject(blobObjectKey(blob), signal);
  return noted(blob, stateOf(bytes, blob)) === 'intact' ? bytes : undefined;
};

/** Reads a part of the bytes of a blob, which cannot be compared with its hash. Throws CONTENT_LOST. */
const readBlobRange = async (blob: BlobRef, range: ByteRange, signal: AbortSignal): Promise<Buffer> => {
  const bytes = await readObject(blobObjectKey(blob), signal, range);
  if (bytes) return bytes;
  noted(blob, 'absent');
  throw new ApiError('CONTENT_LOST');
};

/** A stored file, to be read in parts. A read throws CONTENT_LOST. */
export const storedFile = (
  { size, blob }: Pick<PackageFile, 'size' | 'blob'>,
  signal: AbortSignal,
): Pick<ReceivedFile, 'size' | 'read'> => ({ size, read: async (range) => readBlobRange(blob, range, signal) });

/** What the store has of a blob of this size: what is sent inline is compared with its hash, anything else by its size. */
export const stateOfBlob = async (blob: BlobRef, size: number, signal: AbortSignal): Promise<BlobState> => {
  const key = blobObjectKey(blob);
  if (size <= inlineBytesMax) return noted(blob, stateOf(await readObject(key, signal), blob));
  const found = await headObject(key, signal);
  if (!found) return noted(blob, 'absent');
  return noted(blob, found.size === size ? 'intact' : 'damaged');
};

/** How long an object that this process has seen need not be looked for again, before a client is redirected to it. */
const seenMilliseconds = 60_000;

/** When this process last saw the objects that clients are redirected to, by their keys. */
const seen = new BoundedCache<number>(10_000);

/** Throws CONTENT_LOST if the store has lost the bytes of a blob. It asks the store at most once a minute for each object. */
export const requireBlob = async (blob: BlobRef, size: number, signal: AbortSignal): Promise<void> => {
  const key = blobObjectKey(blob);
  const seenAt = seen.get(key);
  if (seenAt !== undefined && seenAt + seenMilliseconds > Date.now()) return;
  if ((await stateOfBlob(blob, size, signal)) !== 'intact') throw new ApiError('CONTENT_LOST');
  seen.set(key, Date.now());
};
