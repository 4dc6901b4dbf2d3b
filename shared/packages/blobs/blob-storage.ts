import { ApiError } from '../../errors.ts';
import type { UploadDestination } from '../../http/door-headers.ts';
import { blobObjectKey, objectIdIn } from '../../store/keys.ts';
import { copyObjectOnce } from '../../store/multipart.ts';
import { headObject, putObjectOnce, replaceObject } from '../../store/objects.ts';
import { type ReceivedFile, type StagedUpload, stagedFile } from '../../store/received-file.ts';
import type { Table } from '../../table/client.ts';
import { blobKey } from '../../table/keys.ts';
import {
  announceBlob,
  type Blob,
  type BlobRef,
  itemBytesMax,
  itemLifeOf,
  keepInItem,
  referToBlob,
} from '../../table/packages/blobs.ts';
import type { Update } from '../../table/writes.ts';
import { stateOfBlob } from './stored-bytes.ts';

/**
 * Stores the bytes of a file as a blob that nothing refers to yet. If the workspace already has the bytes, it only looks whether
 * the store still has them. `known` is the item of the blob, if the caller has read it.
 */
export const storeBlob = async (
  table: Table,
  workspaceId: string,
  file: ReceivedFile,
  known?: Blob,
): Promise<BlobRef> => {
  const { ref, isStored } = await announceBlob(table, workspaceId, { ...file.hashes, size: file.size }, known);
  if (isStored) await restoreBlob(table, ref, file);
  else await putBytes(ref, file, table.signal);
  return ref;
};

/** A blob that something is about to refer to. */
export interface PreparedBlob {
  readonly ref: BlobRef;
  /** Adds references to it, and keeps its bytes if they are not stored yet. */
  readonly refer: (times?: number) => Update;
}

/** A blob whose bytes are stored. */
export const preparedBlob = (ref: BlobRef): PreparedBlob => ({ ref, refer: (times) => referToBlob(ref, times) });

/**
 * Stores the bytes of a file from an upstream as `storeBlob` does, unless they are few and the workspace has no blob of them: those
 * are kept by the write that refers to them, which saves an announcement and an object. What is published follows in a later
 * release: the one before this does not look into items, and asks an upstream again.
 */
export const prepareFetched = async (
  table: Table,
  workspaceId: string,
  file: ReceivedFile,
  known?: Blob,
): Promise<PreparedBlob> => {
  const { size, hashes, stagingKey } = file;
  if (known || size > itemBytesMax || stagingKey !== undefined)
    return preparedBlob(await storeBlob(table, workspaceId, file, known));
  const content = await file.bytes();
  const ref = { workspaceId, sha256: hashes.sha256, objectId: itemLifeOf(hashes.sha256) };
  return { ref, refer: (times) => keepInItem(workspaceId, { ...hashes, size, content }, times) };
};

const putBytes = async (ref: BlobRef, file: ReceivedFile, signal: AbortSignal): Promise<void> => {
  if (file.storedAs === ref.objectId) return;
  // The life that has the bytes is over. The next request finds that and stores them again.
  if (file.storedAs !== undefined) throw new ApiError('SERVICE_UNAVAILABLE');
  const key = blobObjectKey(ref);
  if (file.stagingKey !== undefined)
    await copyObjectOnce({ sourceKey: file.stagingKey, size: file.size }, { key }, signal);
  else await putObjectOnce(key, await file.bytes(), signal);
};

/**
 * Stores the bytes of a live blob again if the store has lost or damaged them: the object decides, not the item. To look costs a
 * tenth of a PUT and sends no body. The reference must be to a life that cannot end within this request.
 */
export const restoreBlob = async (table: Table, ref: BlobRef, file: ReceivedFile): Promise<void> => {
  if (file.storedAs === ref.objectId) return;
  const { signal } = table;
  const found = await stateOfBlob(table, ref, file.size);
  if (found === 'absent') await putBytes(ref, file, signal);
  if (found !== 'damaged') return;
  const key = blobObjectKey(ref);
  const head = await headObject(key, signal);
  if (!head) return;
  const damaged = { key, etag: head.etag };
  const { stagingKey: sourceKey, size } = file;
  if (sourceKey !== undefined) await copyObjectOnce({ sourceKey, size }, damaged, signal);
  else await replaceObject(damaged, await file.bytes(), signal);
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
  const { objectId } = blob;
  const isStored = await headObject(blobObjectKey({ workspaceId, sha256, objectId }), table.signal);
  return isStored && objectId;
};
