/**
 * Where the bytes of a blob lie. Only IDs and hashes: no name of a user ever gets into a key. The object ID tells the lives of a
 * blob apart, so that a late deletion of one cannot hit the next.
 */
export const blobObjectKey = (blob: {
  readonly workspaceId: string;
  readonly sha256: string;
  readonly objectId: string;
}): string => `blobs/${blob.workspaceId}/sha256/${blob.sha256}.${blob.objectId}`;

/** What is on its way; the lifecycle of the bucket removes it after two days. */
export const stagingObjectKey = (id: string): string => `staging/${id}`;
