import { BoundedCache } from '../../bounded-cache.ts';
import { blobObjectKey } from '../../store/keys.ts';
import type { Table } from '../../table/client.ts';
import type { BlobRef } from '../../table/packages/blobs.ts';
import { inlineBytesMax, readBlob } from './stored-bytes.ts';

/** The bytes of small files that this process keeps, by the keys of their objects. An object never changes. */
const keptBytesMax = 32_000_000;
const kept = new BoundedCache<Buffer>(keptBytesMax);

/** The bytes of a small file, from memory where this process has them; undefined if the store has lost them. */
export const readSmallBlob = async (table: Table, blob: BlobRef): Promise<Buffer | undefined> => {
  const objectKey = blobObjectKey(blob);
  const known = kept.get(objectKey);
  if (known) return known;
  const content = await readBlob(table, blob);
  if (content) kept.set(objectKey, content, objectKey.length + content.length);
  return content;
};

/** Keeps the bytes of a file that this request has stored, if it is small: it is served without reading it from the store. */
export const keepSmallBlob = (blob: BlobRef, content: Buffer): void => {
  const objectKey = blobObjectKey(blob);
  if (content.length <= inlineBytesMax) kept.set(objectKey, content, objectKey.length + content.length);
};
