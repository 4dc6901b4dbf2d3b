import type { Table } from '../client.ts';
import { contentSweepKey, contentSweepsList } from '../keys.ts';
import { insertion, type Write } from '../writes.ts';

/** The queue entry of the unreachable content of a deleted or emptied repository. Its key contains the content ID. */
export interface ContentSweep {
  readonly workspaceId: string;
  /** The emptied local repository that keeps the names of the packages. */
  readonly repositoryId?: string;
}

/** The queue entry of a blob that may have no references. Its key contains the time and the hash. */
export interface BlobSweep {
  /** The ended life of the blob. Its object is to be deleted. */
  readonly objectId?: string;
}

/** The content to remove, and the workspace of its blobs. */
export interface PendingContentSweep extends ContentSweep {
  readonly contentId: string;
}

/** Queues content for removal. It is part of the transaction that makes the content unreachable. */
export const leaveContent = (contentId: string, workspaceId: string, repositoryId?: string): Write =>
  insertion(contentSweepKey(contentId), { workspaceId, ...(repositoryId !== undefined && { repositoryId }) });

/** Up to `limit` entries of the queue. */
export const listContentSweeps = async (table: Table, limit: number): Promise<PendingContentSweep[]> => {
  const { items } = await table.query(contentSweepsList, { limit });
  return items.map(({ position, item: { workspaceId, repositoryId } }) => ({
    contentId: position,
    workspaceId,
    ...(repositoryId !== undefined && { repositoryId }),
  }));
};
