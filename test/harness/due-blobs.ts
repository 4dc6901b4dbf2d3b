import { Table } from '../../shared/table/client.ts';
import { blobKey, blobSweepKey, blobSweepsList, looseSweepKey, looseSweepsList } from '../../shared/table/keys.ts';
import { fileKey, filesList, type PackageRef, packageHeadKey } from '../../shared/table/packages/package-keys.ts';
import { noVersion } from '../../shared/table/packages/packages.ts';
import { inBatches } from './concurrency.ts';

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

/** Lets all images that wait for the sweeper be due, and their blobs be as old as that. */
export const passADayOfImages = async (): Promise<void> => {
  const past = new Date(Date.now() - 25 * 60 * 60 * 1000).toISOString();
  const { items } = await new Table().query(looseSweepsList);
  for (const {
    position,
    item: { workspaceId, repositoryId },
  } of items) {
    const [dueAt = '', contentId = '', name = ''] = position.split('#');
    const ref: PackageRef = { contentId, name };
    await new Table().writeUnrecorded([
      { remove: looseSweepKey(dueAt, contentId, name) },
      { put: { ...looseSweepKey(past, contentId, name), workspaceId, repositoryId } },
    ]);
    // A swept head is not made again.
    await new Table().writeUnrecorded([
      {
        update: packageHeadKey(ref),
        set: 'SET #looseDueAt = :past',
        if: 'attribute_exists(pk)',
        values: { ':past': past },
      },
    ]);
    const files = await new Table().query(filesList(ref, noVersion));
    for (const { item: file } of files.items)
      await new Table().writeUnrecorded([
        { update: fileKey(ref, noVersion, file.file), set: 'SET #usedAt = :past', values: { ':past': past } },
      ]);
  }
};
