import { type BlobRef, releaseBlob } from './blobs.ts';
import type { Table } from './client.ts';
import {
  contentSweepKey,
  contentSweepsList,
  type PackageRef,
  packageEntryKey,
  packageItemsList,
  packageNameAt,
  packagesList,
} from './keys.ts';
import { insertion, type Write } from './writes.ts';

/** Content of a repository that is unreachable and is to be removed. */
export interface ContentSweep {
  readonly workspaceId: string;
}

/** A blob to look at when its time has come; the key says which. */
export interface BlobSweep {
  /** The life that was ended: its object is to be deleted. */
  readonly objectId?: string;
}

/** Content to remove, and the workspace that its blobs belong to. */
export interface PendingContentSweep extends ContentSweep {
  readonly contentId: string;
}

/** An item is removed by one action, and its blob released by two; a transaction takes 100. */
const itemsPerWrite = 33;

/** Notes that content is to be removed, in the transaction that puts it out of reach. */
export const leaveContent = (contentId: string, workspaceId: string): Write =>
  insertion(contentSweepKey(contentId), { workspaceId });

/** The content that waits, some of it at a time. */
export const listContentSweeps = async (table: Table, limit: number): Promise<PendingContentSweep[]> => {
  const { items } = await table.query(contentSweepsList, { limit });
  return items.map(({ position, item }) => ({ contentId: position, workspaceId: item.workspaceId }));
};

/**
 * Removes some of what is stored of content, and the note that it waits once nothing is left. Returns how many items it removed
 * and whether the content is done; safe to repeat and to interrupt anywhere.
 */
export const sweepContent = async (
  table: Table,
  { contentId, workspaceId }: PendingContentSweep,
): Promise<{ removed: number; done: boolean }> => {
  const [first] = (await table.query(packagesList(contentId), { limit: 1 })).items;
  if (!first) {
    await table.write([{ remove: contentSweepKey(contentId) }]);
    return { removed: 0, done: true };
  }
  const ref = { contentId, name: packageNameAt(first.position) };
  const { items } = await table.query(packageItemsList(ref), { limit: itemsPerWrite });
  if (items.length === 0) {
    await table.write([{ remove: packageEntryKey(ref) }]);
    return { removed: 1, done: false };
  }
  const refusal = await table.write(itemsRemoved(ref, items, workspaceId));
  return { removed: refusal ? 0 : items.length, done: false };
};

/** What an item may refer to: the bytes of a file or of a document, and the snapshot of an index. */
interface Referring {
  readonly blob?: BlobRef;
  readonly snapshot?: BlobRef;
  readonly deletedAt?: string;
}

/** Removes items, each of which must still be there, and gives back the blobs that they refer to; a tombstone did that before. */
const itemsRemoved = (
  ref: PackageRef,
  items: readonly { readonly position: string; readonly item: object }[],
  workspaceId: string,
): Write[] => {
  const { pk } = packageItemsList(ref);
  const blobs = items.flatMap(({ item }) => {
    const { blob, snapshot, deletedAt }: Referring = item;
    return deletedAt === undefined ? [blob, snapshot].filter((each) => each !== undefined) : [];
  });
  const byHash = Map.groupBy(blobs, ({ sha256 }) => sha256);
  return [
    ...items.map(({ position }) => ({ remove: { pk, sk: position }, if: 'attribute_exists(pk)' })),
    ...Array.from(byHash.values()).flatMap((same) =>
      same.slice(0, 1).flatMap((blob) => releaseBlob({ ...blob, workspaceId }, same.length)),
    ),
  ];
};
