import { buffer } from 'node:stream/consumers';
import { ApiError } from '../errors.ts';
import { blobObjectKey } from '../store/keys.ts';
import { copyObjectOnce } from '../store/multipart.ts';
import { headObject, putObjectOnce } from '../store/objects.ts';
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
  if (isStored || file.storedAs === ref.objectId) return ref;
  // The life that has the bytes is over. The next request finds that and stores them again.
  if (file.storedAs !== undefined) throw new ApiError('SERVICE_UNAVAILABLE');
  const key = blobObjectKey(ref);
  if (file.stagingKey !== undefined) await copyObjectOnce(file.stagingKey, key, file.size, table.signal);
  else await putObjectOnce(key, await buffer(await file.stream()), table.signal);
  return ref;
};

/** The ID of the life of a blob whose object has the bytes; undefined if nobody has stored them. */
export const findStoredBlob = async (
  table: Table,
  workspaceId: string,
  sha256: string,
): Promise<string | undefined> => {
  const key = blobKey(workspaceId, sha256);
  const blob = (await table.read([key])).find(key);
  if (!blob || blob.state === 'deleting') return undefined;
  const { state, objectId } = blob;
  const isStored =
    state === 'live' || (await headObject(blobObjectKey({ workspaceId, sha256, objectId }), table.signal));
  return isStored ? objectId : undefined;
};
