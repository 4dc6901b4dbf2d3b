import { invalid } from '../../shared/errors.ts';
import type { AnnouncedFile } from '../../shared/table/packages/uploads.ts';
import { partBytesMax, partsMax } from './upload-limits.ts';
import { announcedBytes } from './upload-session.ts';

const mebibyte = 1024 * 1024;

/** The size of the parts, unless the client or the size of the files asks for another. */
const usualPartBytes = 256 * mebibyte;

/** The minimum size of the parts with which files do not exceed the maximum number of parts. The last part of each file is shorter. */
const smallestPartBytes = (files: readonly AnnouncedFile[]): number =>
  Math.ceil(announcedBytes(files) / (partsMax - files.length) / mebibyte) * mebibyte;

/**
 * The size of the parts of each file, undefined for a file that one request sends. Without a wish of the client, that are
 * the files that are too large for one request.
 */
export const partSizesOf = (
  files: readonly AnnouncedFile[],
  wanted: number | undefined,
): readonly (number | undefined)[] => {
  const isInParts = ({ size }: AnnouncedFile): boolean => size > (wanted ?? partBytesMax);
  const partBytes = wanted ?? Math.max(usualPartBytes, smallestPartBytes(files));
  const inParts = files.filter(isInParts);
  const count = inParts.reduce((sum, { size }) => sum + Math.ceil(size / partBytes), 0);
  if (count > partsMax) {
    const message = `These files need parts of at least ${smallestPartBytes(inParts)} bytes, because a session has at most ${partsMax} parts.`;
    throw invalid([{ pointer: '/partSizeInBytes', rule: 'minimum', message }]);
  }
  return files.map((file) => (isInParts(file) ? partBytes : undefined));
};
