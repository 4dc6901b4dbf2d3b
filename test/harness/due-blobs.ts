import { Table } from '../../shared/table/client.ts';
import { blobKey, blobSweepKey, blobSweepsList } from '../../shared/table/keys.ts';
import { inBatches } from './batches.ts';

const atOnceMax = 8;

/** Lets all blobs that wait for the sweeper be due. */
export const passADay = async (): Promise<void> => {
  const past = new Date(Date.now() - 60_000).toISOString();
  const { items } = await new Table().query(blobSweepsList);
  await inBatches(items, atOnceMax, async ({ position }) => {
    const [dueAt = '', workspaceId = '', sha256 = ''] = position.split('#');
    const entries = [
      { remove: blobSweepKey(dueAt, workspaceId, sha256) },
      { put: { ...blobSweepKey(past, workspaceId, sha256) } },
    ];
    const refusal = await new Table().writeUnrecorded([
      ...entries,
      {
        update: blobKey(workspaceId, sha256),
        set: 'SET #dueAt = :past',
        if: '#dueAt = :dueAt',
        values: { ':past': past, ':dueAt': dueAt },
      },
    ]);
    // An entry that is out of date: the blob is due at another time, or not at all.
    if (refusal) await new Table().writeUnrecorded(entries);
  });
};
