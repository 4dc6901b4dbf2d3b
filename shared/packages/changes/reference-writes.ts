import { type BlobRef, releaseBlob } from '../../table/packages/blobs.ts';
import type { Write } from '../../table/writes.ts';
import { type PreparedBlob, preparedBlob } from '../blobs/blob-storage.ts';

/** What has a blob, one for each blob with their count: a transaction may have only one action for each item. */
export const distinct = <T>(
  all: readonly T[],
  blobOf: (one: T) => BlobRef,
): { readonly one: T; readonly times: number }[] =>
  Array.from(Map.groupBy(all, (one) => blobOf(one).sha256).values()).flatMap((same) =>
    same.slice(0, 1).map((one) => ({ one, times: same.length })),
  );

/**
 * Moves references from the blobs of files that are replaced to those of the files that take their places. A blob may be on both sides:
 * then the difference counts, which may be none, in the life that the new files refer to.
 */
export const referencesMoved = (added: readonly PreparedBlob[], replaced: readonly BlobRef[]): Write[] => {
  const changes = [
    ...added.map((blob) => ({ ...blob, by: 1 })),
    ...replaced.map((ref) => ({ ...preparedBlob(ref), by: -1 })),
  ];
  return Array.from(Map.groupBy(changes, ({ ref }) => ref.sha256).values()).flatMap((same) => {
    const more = same.reduce((total, { by }) => total + by, 0);
    return same.slice(0, 1).flatMap(({ ref, refer }) => (more < 0 ? releaseBlob(ref, -more) : [refer(more)]));
  });
};
