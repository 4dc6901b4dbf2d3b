/**
 * The key of the bytes of a blob. It consists of IDs and hashes only, and never contains a name that a user chose. The
 * object ID distinguishes the lives of a blob, so that a late deletion of one life cannot hit the next.
 */
export const blobObjectKey = (blob: {
  readonly workspaceId: string;
  readonly sha256: string;
  readonly objectId: string;
}): string => `blobs/${blob.workspaceId}/sha256/${blob.sha256}.${blob.objectId}`;

/** The object ID in the key of a blob. */
export const objectIdIn = (key: string): string => key.slice(key.lastIndexOf('.') + 1);

/** What the key of every object in the staging area begins with. */
const stagingPrefix = 'staging/';

/** Whether an object is in the staging area. */
export const isStaged = (key: string): boolean => key.startsWith(stagingPrefix);

/** The key of an object in the staging area. The lifecycle of the bucket removes it after two days. */
export const stagingObjectKey = (id: string): string => stagingPrefix + id;

/** What the key of every document that was rendered for clients begins with. */
export const renderedPrefix = `${stagingPrefix}rendered/`;

/** The key of a document that was rendered for clients: it is in the staging area, too. */
export const renderedObjectKey = (id: string): string => renderedPrefix + id;
