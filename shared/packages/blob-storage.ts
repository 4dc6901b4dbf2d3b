import { buffer } from 'node:stream/consumers';
import { blobObjectKey } from '../store/keys.ts';
import { copyObjectOnce } from '../store/multipart.ts';
import { putObjectOnce } from '../store/objects.ts';
import type { ReceivedFile } from '../store/receiving.ts';
import { announceBlob, type Blob, type BlobRef } from '../table/blobs.ts';
import type { Table } from '../table/client.ts';
import { blobKey } from '../table/keys.ts';

/**
 * Stores the bytes of a file as a blob that nothing refers to yet. It stores nothing if the workspace already has the bytes.
 * `known` is the item of the blob, if the caller has read it.
 */
export const storeBlob = async (
  table: Table,
  workspaceId: string,
  file: ReceivedFile,
  known?: Blob,
): Promise<BlobRef> => {
  const { ref, isStored } = await announceBlob(table, workspaceId, { ...file.hashes, size: file.size }, known);
  if (isStored) return ref;
  const key = blobObjectKey(ref);
  if (file.stagingKey !== undefined) await copyObjectOnce(file.stagingKey, key, file.size, table.signal);
  else await putObjectOnce(key, await buffer(await file.stream()), table.signal);
  return ref;
};

/** Reads the item of a blob; undefined if there is none. */
export const findBlob = async (table: Table, workspaceId: string, sha256: string): Promise<Blob | undefined> => {
  const key = blobKey(workspaceId, sha256);
  return (await table.read([key])).find(key);
};
