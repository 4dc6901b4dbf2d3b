import { randomBytes } from 'node:crypto';
import type { FileHashes } from '../store/hashes.ts';
import type { Table } from './client.ts';
import { blobKey, blobSweepKey, blobSweepsList } from './keys.ts';
import { foundBy, type Update, type Write } from './writes.ts';

/**
 * The bytes of files in a workspace, stored once by their hash. It is pending until something refers to it, and deleted
 * some time after nothing does. Each life of a blob has an object of its own: whoever deletes the object of an ended life
 * cannot hit the next one.
 */
export interface Blob extends FileHashes {
  readonly size: number;
  readonly references: number;
  readonly state: 'pending' | 'live' | 'deleting';
  /** Names this life of the blob, in the key of its object too. */
  readonly objectId: string;
  /** When the blob may go, if nothing refers to it then. */
  readonly dueAt?: string;
}

/** A blob and the life of it that something refers to. */
export interface BlobRef {
  readonly workspaceId: string;
  readonly sha256: string;
  readonly objectId: string;
}

/** Longer than any download URL lives and any upload takes. */
const unreferencedMilliseconds = 24 * 60 * 60 * 1000;

const dueDate = (): string => new Date(Date.now() + unreferencedMilliseconds).toISOString();

/**
 * Announces bytes that are about to be stored, so that the sweeper finds them if nothing ever refers to them. Returns the life
 * of the blob to store them under, and whether they are stored already.
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
    if (blob && blob.state !== 'deleting')
      return { ref: { workspaceId, sha256, objectId: blob.objectId }, isStored: blob.state === 'live' };
    const dueAt = dueDate();
    const objectId = randomBytes(9).toString('base64url');
    const begun = { sha256, size, ...others, references: 0, state: 'pending' as const, objectId, dueAt };
    const refusal = await table.write([
      {
        update: key,
        set: `SET ${Object.keys(begun)
          .map((name) => `#${name} = :${name}`)
          .join(', ')}`,
        if: blob ? '#state = :deleting AND #objectId = :before' : 'attribute_not_exists(pk)',
        values: {
          ...Object.fromEntries(Object.entries(begun).map(([name, value]) => [`:${name}`, value])),
          ...(blob && { ':deleting': 'deleting', ':before': blob.objectId }),
        },
      },
      { put: { ...blobSweepKey(dueAt, workspaceId, sha256) } },
    ]);
    if (!refusal) return { ref: { workspaceId, sha256, objectId }, isStored: false };
    blob = foundBy(key, refusal);
  }
};

/** Refers to a blob once more, or several times; refused when that life of it has ended. */
export const referToBlob = ({ workspaceId, sha256, objectId }: BlobRef, times = 1): Update => ({
  update: blobKey(workspaceId, sha256),
  set: 'SET #state = :live REMOVE #dueAt ADD #references :times',
  if: '#objectId = :objectId AND #state <> :deleting',
  values: { ':live': 'live', ':times': times, ':objectId': objectId, ':deleting': 'deleting' },
});

/** Refers to a blob once less, or several times, and lets the sweeper look at it later. */
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

/** A blob that somebody is to look at now; once its life was ended, the object to delete. */
export interface DueBlob {
  readonly dueAt: string;
  readonly workspaceId: string;
  readonly sha256: string;
  readonly objectId: string | undefined;
}

/** The blobs that are due, some of them at a time, the earliest first. */
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
 * Ends the life of a blob that nothing refers to and that is due. Returns what it was, for its object to be deleted; undefined
 * when it is still needed, or due at another time. The object is noted first: whoever comes after a crash deletes it.
 */
export const endBlob = async (
  table: Table,
  { dueAt, workspaceId, sha256, objectId }: DueBlob,
): Promise<BlobRef | undefined> => {
  if (objectId !== undefined) return { workspaceId, sha256, objectId };
  const key = blobKey(workspaceId, sha256);
  const blob = (await table.read([key])).find(key);
  if (!blob || blob.references > 0 || blob.dueAt !== dueAt) return undefined;
  const refusal = await table.write([
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

/** Forgets a blob whose object is deleted, unless it lives again, and that it was due. */
export const forgetBlob = async (table: Table, due: DueBlob, ended: BlobRef | undefined): Promise<void> => {
  const looked = { remove: blobSweepKey(due.dueAt, due.workspaceId, due.sha256) };
  const refusal =
    ended &&
    (await table.write([
      looked,
      {
        remove: blobKey(ended.workspaceId, ended.sha256),
        if: '#state = :deleting AND #objectId = :objectId',
        values: { ':objectId': ended.objectId, ':deleting': 'deleting' },
      },
    ]));
  if (!ended || refusal) await table.write([looked]);
};
