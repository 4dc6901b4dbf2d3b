import { sumBy } from '../../sums.ts';
import { type BlobRef, releaseBlob } from '../../table/packages/blobs.ts';
import type { Write } from '../../table/writes.ts';
import { type PreparedBlob, preparedBlob } from '../blobs/blob-storage.ts';

/**
 * Moves references from the blobs of files that go to those of the files that take their places, in one write for each blob, as a
 * transaction may have only one for an item. A blob may be on both sides: then the difference counts, which may be none, in the life
 * that the new files refer to.
 */
export const referencesMoved = (added: readonly PreparedBlob[], gone: readonly BlobRef[]): Write[] => {
  const changes = [
    ...added.map((blob) => ({ ...blob, by: 1 })),
    ...gone.map((ref) => ({ ...preparedBlob(ref), by: -1 })),
  ];
  return Array.from(Map.groupBy(changes, ({ ref }) => ref.sha256).values()).flatMap((same) => {
    const more = sumBy(same, ({ by }) => by);
    return same.slice(0, 1).flatMap(({ ref, refer }) => (more < 0 ? releaseBlob(ref, -more) : [refer(more)]));
  });
};
