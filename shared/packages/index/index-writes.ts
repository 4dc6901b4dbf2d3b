import { randomBytes } from 'node:crypto';
import { indexGrown } from '../../table/packages/head-writes.ts';
import type { IndexName } from '../../table/packages/package-index.ts';
import { indexChangeKey, namedIndexKey, type PackageRef } from '../../table/packages/package-keys.ts';
import type { Write } from '../../table/writes.ts';
import { indexBytesMax } from './entry-bounds.ts';
import { entryAddress, indexRef } from './index-listing.ts';
import { packParts } from './package-index.ts';

/** An ID that sorts by time. Its random part makes it unique, so that parallel changes need no common counter. */
const newChangeId = (): string => `${Date.now().toString(36).padStart(9, '0')}${randomBytes(6).toString('hex')}`;

/** The new state of a version in its index: its packed parts; without them it is removed. */
export const entryWrite = (
  ref: PackageRef,
  { version, revision, parts }: { readonly version: string; readonly revision: number; readonly parts?: Uint8Array },
  index: IndexName,
): Write => {
  const address = entryAddress(ref, version, index);
  // A removed entry stays, so that the index also knows which names were ever held.
  const state = parts ? { parts } : { parts: packParts([]), isRemoved: true };
  return { insert: { ...indexChangeKey(address.ref, newChangeId()), version: address.entry, revision, ...state } };
};

/** A change of the size of an index. */
export interface IndexGrowth {
  readonly index: IndexName;
  readonly addedBytes: number;
}

/**
 * Changes the heads of the indexes beside that of the package, each once: the transaction changes the head of the package anyway.
 * Their only condition is that there is room, so that parallel changes of different packages do not refuse each other.
 */
export const indexesTouched = (ref: PackageRef, growths: readonly IndexGrowth[], now: string): Write[] =>
  Array.from(Map.groupBy(growths, ({ index }) => index)).flatMap(([index, same]) => {
    const addedBytes = same.reduce((sum, each) => sum + each.addedBytes, 0);
    const room = { addedBytes, bytesMax: indexBytesMax };
    return index === 'package' ? [] : [indexGrown(indexRef(ref, index), room, now)];
  });

/** Notes a named index, so that whoever removes the content of its repository finds it. */
export const indexNoted = ({ contentId }: PackageRef, index: IndexName): Write[] =>
  index === 'package' || index === 'repository' ? [] : [{ put: { ...namedIndexKey(contentId, index) } }];
