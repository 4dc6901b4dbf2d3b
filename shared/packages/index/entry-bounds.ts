import { ApiError } from '../../errors.ts';
import type { IndexHead } from '../../table/packages/package-index.ts';

/**
 * The maximum size of the texts of an entry before compression, whatever the package type allows for each of them. Who reads an
 * index inflates all of its entries, and a text of one letter compresses a thousand times.
 */
const entryBytesMax = 1_400_000;

/** The maximum size of all entries of an index before compression: a function has 1 GB, and each is in it several times. */
export const indexBytesMax = 64_000_000;

/** What an entry costs whatever its texts: it is an item in the table, a line of the snapshot, and an object of each reader. */
const overheadBytes = 200;

const textBytes = (parts: readonly string[]): number => parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);

/** The size of an entry in its index: that of its texts before compression, of its name, and what each entry costs. */
export const sizeOfEntry = (entry: string, parts: readonly string[] = []): number =>
  overheadBytes + Buffer.byteLength(entry) + textBytes(parts);

/**
 * The size that a removed entry still has: the index keeps its name. The entry of an earlier release was counted with less, and
 * nothing is added when it is removed, because a deletion is never refused.
 */
export const sizeWhenRemoved = (entry: string, countedBytes = 0): number => Math.min(countedBytes, sizeOfEntry(entry));

/** The refusal of metadata that are too large. */
export const tooLarge = (what: string, bytes: number, bytesMax: number): ApiError =>
  new ApiError(
    'PACKAGE_INVALID',
    `${what} has ${bytes} bytes, and may have at most ${bytesMax}. Move long texts and lists from it to files of the package.`,
  );

/** Refuses a text of an entry that is larger than its package type allows. Throws PACKAGE_INVALID. */
export const requireSize = (what: string, text: string, bytesMax: number): void => {
  const bytes = Buffer.byteLength(text);
  if (bytes > bytesMax) throw tooLarge(what, bytes, bytesMax);
};

/** Refuses an entry that is too large before compression. Throws PACKAGE_INVALID. */
export const requireEntrySize = (parts: readonly string[]): void => {
  const bytes = textBytes(parts);
  if (bytes > entryBytesMax) throw tooLarge('The metadata of the version', bytes, entryBytesMax);
};

/** Refuses an entry for which the index has no room, unless it makes the index smaller. Throws PACKAGE_INVALID. */
export const requireRoom = (index: IndexHead | undefined, addedBytes: number): void => {
  const { entryBytes = 0 } = index ?? {};
  if (addedBytes > 0 && entryBytes + addedBytes > indexBytesMax)
    throw new ApiError(
      'PACKAGE_INVALID',
      `The index has ${entryBytes} bytes of metadata and would get ${addedBytes} more, and may have at most ${indexBytesMax}. Delete versions that nobody needs, or publish to another repository.`,
    );
};
