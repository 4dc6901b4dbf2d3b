import { Table } from '../../shared/table/client.ts';
import { blobKey, blobSweepKey, blobSweepsList } from '../../shared/table/keys.ts';

/** Lets all blobs that wait for the sweeper be due. */
export const passADay = async (): Promise<void> => {
  const table = new Table();
  const past = new Date(Date.now() - 60_000).toISOString();
  for (const { position } of (await table.query(blobSweepsList)).items) {
    const [dueAt = '', workspaceId = '', sha256 = ''] = position.split('#');
    await table.write([
      { remove: blobSweepKey(dueAt, workspaceId, sha256) },
      { put: { ...blobSweepKey(past, workspaceId, sha256) } },
    ]);
    await table.update({
      update: blobKey(workspaceId, sha256),
      set: 'SET #dueAt = :past',
      if: '#dueAt = :dueAt',
      values: { ':past': past, ':dueAt': dueAt },
    });
  }
};
