import type { Table } from '../client.ts';
import { blobUploadKey } from '../keys.ts';
import { insertion, type Write } from '../writes.ts';
import { type UploadOwner, uploadEnded, uploadGrown } from './open-uploads.ts';

/** A part of the bytes of an upload: an object in the staging area that nobody ever writes again. */
export interface Piece {
  readonly key: string;
  readonly size: number;
}

/** What is known of a blob that a client sends in several requests. Each accepted request makes a new version of it. */
export interface BlobUpload {
  readonly actorId: string;
  readonly workspaceId: string;
  readonly contentId: string;
  /** The image that it is sent to. */
  readonly name: string;
  readonly version: number;
  /** The number of bytes so far. */
  readonly size: number;
  /** Where the bytes are, in their order. */
  readonly pieces: readonly Piece[];
  /** The state of the SHA-256 after these bytes, in Base64; absent if nobody has read all of them. */
  readonly hashState?: string;
  /** The SHA-256 of all bytes in hex, if it is known without that state. */
  readonly sha256?: string;
  /** Where it stands among the open uploads of its actor; absent if an earlier release began it. */
  readonly slot?: number;
  /** In seconds. DynamoDB removes the item some time later. */
  readonly expiresAt: number;
}

/** The progress of an upload: what a request adds changes all of it. */
export type Progress = Pick<BlobUpload, 'size' | 'pieces' | 'hashState' | 'sha256'>;

/** The lifecycle of the bucket keeps the pieces for twice this time. */
const lifetimeSeconds = 24 * 60 * 60;

/** Whose upload it is. */
export const ownerOfBlobUpload = ({
  workspaceId,
  actorId,
}: Pick<BlobUpload, 'workspaceId' | 'actorId'>): UploadOwner => ({
  workspaceId,
  actorId,
  kind: 'image',
});

/** An upload that begins now. */
export const newBlobUpload = (
  upload: Omit<BlobUpload, 'version' | 'slot' | 'expiresAt' | keyof Progress> & Progress,
): BlobUpload => ({ ...upload, version: 0, expiresAt: Math.floor(Date.now() / 1000) + lifetimeSeconds });

/** The write that begins an upload. */
export const blobUploadBegun = (uploadId: string, upload: BlobUpload): Write =>
  insertion(blobUploadKey(uploadId), upload);

/** Whether an upload still goes on. */
export const isOngoing = ({ expiresAt }: BlobUpload): boolean => expiresAt > Date.now() / 1000;

/** Stores the progress of an upload as its next version; undefined if another request has made that version, or ended it. */
export const continueBlobUpload = async (
  table: Table,
  uploadId: string,
  before: BlobUpload,
  { size, pieces, hashState, sha256 }: Progress,
): Promise<BlobUpload | undefined> => {
  const { version, hashState: _state, sha256: _hash, ...others } = before;
  const next: BlobUpload = {
    ...others,
    version: version + 1,
    size,
    pieces,
    ...(hashState !== undefined && { hashState }),
    ...(sha256 !== undefined && { sha256 }),
  };
  const refusal = await table.writeUnrecorded([
    { put: { ...blobUploadKey(uploadId), ...next }, if: '#version = :before', values: { ':before': version } },
    ...(next.slot === undefined ? [] : [uploadGrown(ownerOfBlobUpload(next), next.slot, { uploadId, bytes: size })]),
  ]);
  return refusal ? undefined : next;
};

const placeFreed = (uploadId: string, upload: BlobUpload): Write[] =>
  upload.slot === undefined ? [] : [uploadEnded(ownerOfBlobUpload(upload), upload.slot, uploadId)];

/** Ends an upload in another transaction, if no other request has continued it. Its pieces are then of no use. */
export const blobUploadEnded = (uploadId: string, upload: BlobUpload): Write[] => [
  { remove: blobUploadKey(uploadId), if: '#version = :version', values: { ':version': upload.version } },
  ...placeFreed(uploadId, upload),
];

/** Ends an upload. Its pieces are then of no use. */
export const endBlobUpload = async (table: Table, uploadId: string, upload: BlobUpload): Promise<void> => {
  await table.writeUnrecorded([{ remove: blobUploadKey(uploadId) }, ...placeFreed(uploadId, upload)]);
};
