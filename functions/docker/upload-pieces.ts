import type { ByteRange } from '../../shared/store/objects.ts';
import type { Piece } from '../../shared/table/packages/blob-uploads.ts';

/** Pieces below this size are merged once they have it together, so that the list of pieces stays short. */
export const mergedBytes = 8 * 1024 * 1024;

/** The minimum size of a part of an upload to S3, except the last. */
const partBytesMin = 5 * 1024 * 1024;

/** The size of the parts that S3 copies at once. */
const copiedBytes = 64 * 1024 * 1024;

/** The small pieces at the end of an upload. */
export const tailOf = (pieces: readonly Piece[]): readonly Piece[] =>
  pieces.slice(pieces.findLastIndex(({ size }) => size >= mergedBytes) + 1);

/** The number of bytes in pieces. */
export const bytesIn = (pieces: readonly Pick<Piece, 'size'>[]): number =>
  pieces.reduce((sum, { size }) => sum + size, 0);

/** A range of the bytes of a piece. */
export interface Slice {
  readonly key: string;
  readonly range: ByteRange;
}

/** A part of the object that is made of pieces: one slice is copied inside S3, several are read and sent. */
export type PlannedPart = readonly [Slice, ...Slice[]];

const lengthOf = ({ range: [first, last] }: Slice): number => last - first + 1;

/** Whether S3 can copy a part by itself: it copies ranges only of objects that are larger than 5 MB. */
export const isCopied = ([slice, ...others]: PlannedPart): boolean =>
  others.length === 0 && lengthOf(slice) > partBytesMin;

/**
 * Plans how S3 makes one object of pieces. Every part but the last has at least 5 MiB: a small piece takes bytes of the next
 * one, so at most one part's size is read for it.
 */
export const planParts = (pieces: readonly Piece[]): readonly PlannedPart[] => {
  const parts: PlannedPart[] = [];
  let pending: Slice[] = [];
  let pendingBytes = 0;
  const flush = (): void => {
    const [first, ...others] = pending;
    if (first) parts.push([first, ...others]);
    [pending, pendingBytes] = [[], 0];
  };
  for (const { key, size } of pieces) {
    let at = 0;
    while (at < size) {
      const rest = size - at;
      const wanted = pendingBytes > 0 ? partBytesMin - pendingBytes : copiedBytes;
      // A remainder below the minimum would be a small piece again.
      const taken =
        rest - wanted < partBytesMin && rest <= copiedBytes + partBytesMin && pendingBytes === 0
          ? rest
          : Math.min(rest, wanted);
      const slice = { key, range: [at, at + taken - 1] as const };
      pending.push(slice);
      pendingBytes += lengthOf(slice);
      at += taken;
      if (pendingBytes >= partBytesMin) flush();
    }
  }
  flush();
  return parts;
};
