import { hash } from 'node:crypto';
import { BoundedCache } from '../../bounded-cache.ts';
import { ApiError } from '../../errors.ts';
import { logLostObject } from '../../observability/log.ts';
import { blobObjectKey } from '../../store/keys.ts';
import { type ByteRange, headObject, readObject } from '../../store/objects.ts';
import type { ReceivedFile } from '../../store/received-file.ts';
import type { Table } from '../../table/client.ts';
import { blobKey } from '../../table/keys.ts';
import { type BlobRef, isInItem } from '../../table/packages/blobs.ts';
import type { PackageFile } from '../../table/packages/packages.ts';

/** Whether a file cannot be served because the store has lost its bytes. */
export const isLost = (error: unknown): boolean => error instanceof ApiError && error.code === 'CONTENT_LOST';

/** Files up to this size are sent inline, because a redirect costs a round trip, and curl follows it only with -L. */
export const inlineBytesMax = 256 * 1024;

/** What the store has of a blob. Damaged bytes are others than its hash says. */
export type BlobState = 'intact' | 'damaged' | 'absent';

const stateOf = (bytes: Buffer | undefined, { sha256 }: BlobRef): BlobState => {
  if (!bytes) return 'absent';
  return hash('sha256', bytes) === sha256 ? 'intact' : 'damaged';
};

/** Nothing deletes or changes an object that an item refers to, so such a loss is an error. */
const noted = (blob: BlobRef, state: BlobState): BlobState => {
  if (state !== 'intact') logLostObject(blobObjectKey(blob), state);
  return state;
};

/** The bytes in the item of a blob; undefined if they are in its object, or must be, because the item has others. */
const bytesInItem = async (table: Table, blob: BlobRef): Promise<Buffer | undefined> => {
  if (!isInItem(blob)) return undefined;
  const key = blobKey(blob.workspaceId, blob.sha256);
  const content = (await table.read([key])).find(key)?.content;
  const bytes = content && Buffer.from(content.buffer, content.byteOffset, content.length);
  return stateOf(bytes, blob) === 'intact' ? bytes : undefined;
};

/** The bytes of a blob as they are kept; undefined if they are nowhere. */
const keptBytes = async (table: Table, blob: BlobRef): Promise<Buffer | undefined> =>
  (await bytesInItem(table, blob)) ?? readObject(blobObjectKey(blob), table.signal);

/**
 * Reads the bytes of a blob and compares them with its hash; undefined if they are gone or others, which is logged.
 */
export const readBlob = async (table: Table, blob: BlobRef): Promise<Buffer | undefined> => {
  const bytes = await keptBytes(table, blob);
  return noted(blob, stateOf(bytes, blob)) === 'intact' ? bytes : undefined;
};

/** Reads a part of the bytes of a blob, which cannot be compared with its hash. Throws CONTENT_LOST. */
const readBlobRange = async (table: Table, blob: BlobRef, range: ByteRange): Promise<Buffer> => {
  const [first, last] = range;
  const whole = await bytesInItem(table, blob);
  const bytes = whole?.subarray(first, last + 1) ?? (await readObject(blobObjectKey(blob), table.signal, range));
  if (bytes) return bytes;
  noted(blob, 'absent');
  throw new ApiError('CONTENT_LOST');
};

/** A stored file, to be read in parts. A read throws CONTENT_LOST. */
export const storedFile = (
  { size, blob }: Pick<PackageFile, 'size' | 'blob'>,
  table: Table,
): Pick<ReceivedFile, 'size' | 'read'> => ({ size, read: async (range) => readBlobRange(table, blob, range) });

/** What the store has of a blob of this size: what is sent inline is compared with its hash, anything else by its size. */
export const stateOfBlob = async (table: Table, blob: BlobRef, size: number): Promise<BlobState> => {
  if (size <= inlineBytesMax) return noted(blob, stateOf(await keptBytes(table, blob), blob));
  const found = await headObject(blobObjectKey(blob), table.signal);
  if (!found) return noted(blob, 'absent');
  return noted(blob, found.size === size ? 'intact' : 'damaged');
};

/** How long an object that this process has seen need not be looked for again, before a client is redirected to it. */
const seenMilliseconds = 60_000;

/** When this process last saw the objects that clients are redirected to, by their keys. */
const seen = new BoundedCache<number>(10_000);

/** Throws CONTENT_LOST if the store has lost the bytes of a blob. It asks the store at most once a minute for each object. */
export const requireBlob = async (table: Table, blob: BlobRef, size: number): Promise<void> => {
  const key = blobObjectKey(blob);
  const seenAt = seen.get(key);
  if (seenAt !== undefined && seenAt + seenMilliseconds > Date.now()) return;
  if ((await stateOfBlob(table, blob, size)) !== 'intact') throw new ApiError('CONTENT_LOST');
  seen.set(key, Date.now());
};
