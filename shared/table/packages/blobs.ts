import { randomBytes } from 'node:crypto';
import type { FileHashes } from '../../store/hashes.ts';
import type { Table } from '../client.ts';
import { allOf, equals, isAbsent, setFields } from '../field-writes.ts';
import { blobKey, blobSweepKey, blobSweepsList } from '../keys.ts';
import { foundBy, type Update, type Write } from '../writes.ts';

/**
 * The bytes of files in a workspace, stored once under their SHA-256. A blob is `pending` until something refers to it,
 * then `live`. A day after the last reference is gone, it becomes `deleting`, and its object is deleted. If the same bytes
 * are stored again, the blob begins a new life with a new object, so that a late deletion cannot hit the new object.
 */
export interface Blob extends FileHashes {
  readonly size: number;
  readonly references: number;
  readonly state: 'pending' | 'live' | 'deleting';
  /** The ID of this life of the blob. It is part of the key of its object in S3. */
  readonly objectId: string;
  /** When the blob may be deleted (RFC 3339), if nothing refers to it then. */
  readonly dueAt?: string;
  /** The bytes, if they are few and came from an upstream. Then they have no object, unless this item has lost them. */
  readonly content?: Uint8Array;
}

/** A reference to one life of a blob. */
export interface BlobRef {
  readonly workspaceId: string;
  readonly sha256: string;
  readonly objectId: string;
}

/**
 * Up to this size, bytes from an upstream are kept in the item of their blob. A longer item costs more to write than an object with its
 * announcement. aws.amazon.com/dynamodb/pricing/on-demand, aws.amazon.com/s3/pricing
 */
export const itemBytesMax = 8 * 1024;

const itemLifePrefix = 'item-';

/** The ID of a life whose bytes are in the item. All such lives of the same bytes have one: no object can be deleted late. */
export const itemLifeOf = (sha256: string): string => itemLifePrefix + sha256.slice(0, 16);

/** Whether the bytes may be in the item of the blob. */
export const isInItem = ({ objectId }: Pick<BlobRef, 'objectId'>): boolean => objectId.startsWith(itemLifePrefix);

/** How long a blob without references stays. It is longer than a download URL is valid, and than a publication takes. */
const unreferencedMilliseconds = 24 * 60 * 60 * 1000;

const dueDate = (): string => new Date(Date.now() + unreferencedMilliseconds).toISOString();

/**
 * Whether the sweeper may delete a blob that nothing refers to before an upload to it ends, which would leave an object without
 * a blob. A blob that something refers to stays for a day after its last reference is gone.
 */
const endsSoon = ({ references, dueAt = '' }: Blob): boolean =>
  references === 0 && dueAt < new Date(Date.now() + unreferencedMilliseconds / 2).toISOString();

/**
 * Announces bytes that are about to be stored, so that the sweeper finds them if nothing ever refers to them. Returns the
 * reference to store them under, and whether they are stored already. `known` is the item of the blob, if it was read.
 */
export const announceBlob = async (
  table: Table,
  workspaceId: string,
  { sha256, size, ...others }: FileHashes & { readonly size: number },
  known: Blob | undefined,
): Promise<{ readonly ref: BlobRef; readonly isStored: boolean }> => {
  const key = blobKey(workspaceId, sha256);
  let blob = known;
  for (;;) {
    if (blob && blob.state !== 'deleting' && !endsSoon(blob))
      return { ref: { workspaceId, sha256, objectId: blob.objectId }, isStored: blob.state === 'live' };
    const dueAt = dueDate();
    const lifeId = blob?.state === 'deleting' ? undefined : blob?.objectId;
    const objectId = lifeId ?? randomBytes(9).toString('base64url');
    const begun = { sha256, size, ...others, references: 0, state: 'pending' as const, objectId, dueAt };
    const refusal = await table.writeUnrecorded([
      setFields(
        key,
        { set: begun, remove: blob?.content ? ['content'] : [] },
        blob
          ? allOf(equals('state', blob.state), equals('objectId', blob.objectId), equals('references', 0))
          : isAbsent,
      ),
      { put: { ...blobSweepKey(dueAt, workspaceId, sha256) } },
    ]);
    if (!refusal) return { ref: { workspaceId, sha256, objectId }, isStored: false };
    blob = foundBy(key, refusal);
  }
};

/** Adds references to a blob. The write is refused if this life of the blob has ended. */
export const referToBlob = ({ workspaceId, sha256, objectId }: BlobRef, times = 1): Update => ({
  update: blobKey(workspaceId, sha256),
  set: 'SET #state = :live REMOVE #dueAt ADD #references :times',
  if: '#objectId = :objectId AND #state <> :deleting',
  values: { ':live': 'live', ':times': times, ':objectId': objectId, ':deleting': 'deleting' },
});

/**
 * Adds references to bytes that it keeps in the item of their blob. It is refused if the blob has a life with an object, or one that
 * is ending.
 */
export const keepInItem = (
  workspaceId: string,
  { sha256, ...others }: FileHashes & Required<Pick<Blob, 'size' | 'content'>>,
  times = 1,
): Update => {
  const life = { sha256, ...others, objectId: itemLifeOf(sha256), state: 'live' };
  return setFields(
    blobKey(workspaceId, sha256),
    { set: life, add: { references: times }, remove: ['dueAt'] },
    {
      if: 'attribute_not_exists(pk) OR (#objectId = :objectId AND #state <> :deleting)',
      values: { ':deleting': 'deleting' },
    },
  );
};

/** Removes references to a blob, and queues it for the sweeper to check a day later. */
export const releaseBlob = ({ workspaceId, sha256, objectId }: BlobRef, times = 1): Write[] => {
  const dueAt = dueDate();
  return [
    {
      update: blobKey(workspaceId, sha256),
      set: 'SET #dueAt = :dueAt ADD #references :less',
      if: '#objectId = :objectId AND #references > :none',
      values: { ':dueAt': dueAt, ':less': -times, ':objectId': objectId, ':none': 0 },
    },
    { put: { ...blobSweepKey(dueAt, workspaceId, sha256) } },
  ];
};

/** An entry of the sweeper's queue of blobs. `objectId` is set once a run has ended that life of the blob. */
export interface DueBlob {
  readonly dueAt: string;
  readonly workspaceId: string;
  readonly sha256: string;
  readonly objectId: string | undefined;
}

/** Up to `limit` blobs that are due, the earliest first. */
export const listDueBlobs = async (table: Table, limit: number): Promise<DueBlob[]> => {
  const { items } = await table.query(blobSweepsList, { limit });
  const now = new Date().toISOString();
  return items
    .map(({ position, item }) => {
      const [dueAt = '', workspaceId = '', sha256 = ''] = position.split('#');
      return { dueAt, workspaceId, sha256, objectId: item.objectId };
    })
    .filter(({ dueAt }) => dueAt <= now);
};

/**
 * Ends the life of a blob that is due and that nothing refers to. Returns the reference whose object is to be deleted;
 * undefined if the blob is still needed, or is due at another time. The same transaction writes the object ID into the queue,
 * so that the next run deletes the object if this one is interrupted.
 */
export const endBlob = async (
  table: Table,
  { dueAt, workspaceId, sha256, objectId }: DueBlob,
): Promise<BlobRef | undefined> => {
  if (objectId !== undefined) return { workspaceId, sha256, objectId };
  const key = blobKey(workspaceId, sha256);
  const blob = (await table.read([key])).find(key);
  if (!blob || blob.references > 0 || blob.dueAt !== dueAt) return undefined;
  const refusal = await table.writeUnrecorded([
    {
      update: key,
      set: 'SET #state = :deleting',
      if: '#references = :none AND #dueAt = :dueAt AND #objectId = :objectId',
      values: { ':deleting': 'deleting', ':none': 0, ':dueAt': dueAt, ':objectId': blob.objectId },
    },
    {
      update: blobSweepKey(dueAt, workspaceId, sha256),
      set: 'SET #objectId = :objectId',
      if: 'attribute_exists(pk)',
      values: { ':objectId': blob.objectId },
    },
  ]);
  return refusal ? undefined : { workspaceId, sha256, objectId: blob.objectId };
};

/** Removes the entry from the queue and, if its object was deleted, the blob, unless a new life has begun. */
export const forgetBlob = async (table: Table, due: DueBlob, ended: BlobRef | undefined): Promise<void> => {
  const entry = { remove: blobSweepKey(due.dueAt, due.workspaceId, due.sha256) };
  const refusal =
    ended &&
    (await table.writeUnrecorded([
      entry,
      {
        remove: blobKey(ended.workspaceId, ended.sha256),
        if: '#state = :deleting AND #objectId = :objectId',
        values: { ':objectId': ended.objectId, ':deleting': 'deleting' },
      },
    ]));
  if (!ended || refusal) await table.writeUnrecorded([entry]);
};
