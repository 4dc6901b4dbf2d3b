import { buffer } from 'node:stream/consumers';
import { ApiError } from '../errors.ts';
import type { UploadDestination } from '../http/door-headers.ts';
import { blobObjectKey, objectIdIn } from '../store/keys.ts';
import { copyObjectOnce } from '../store/multipart.ts';
import { headObject, putObjectOnce } from '../store/objects.ts';
import { type ReceivedFile, type StagedUpload, stagedFile } from '../store/receiving.ts';
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

/** Where the bytes of a blob belong, before they arrive. The workspace may have them already. */
export const placeOfBlob = async (
  table: Table,
  workspaceId: string,
  blob: { readonly sha256: string; readonly size: number },
): Promise<UploadDestination> => {
  const { ref } = await announceBlob(table, workspaceId, blob, undefined);
  return { key: blobObjectKey(ref), sha256: blob.sha256 };
};

/** A file whose bytes are where a blob keeps them, as `placeOfBlob` said. */
export const placedFile = ({ key, size, hashes }: StagedUpload, signal: AbortSignal): ReceivedFile => ({
  ...stagedFile(key, size, hashes, signal),
  stagingKey: undefined,
  storedAs: objectIdIn(key),
});

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
