import { randomBytes } from 'node:crypto';
import type { IndexName } from '../../table/packages/package-index.ts';
import { indexChangeKey, indexHeadKey, namedIndexKey, type PackageRef } from '../../table/packages/package-keys.ts';
import type { Check, Write } from '../../table/writes.ts';
import { indexBytesMax } from './entry-bounds.ts';
import { entryAddress, indexRef } from './index-listing.ts';
import { packParts } from './package-index.ts';

/** An ID that sorts by time. Its random part makes it unique, so that parallel changes need no common counter. */
export const newChangeId = (): string => `${Date.now().toString(36).padStart(9, '0')}${randomBytes(6).toString('hex')}`;

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

/** The condition that an index still has room for these bytes. What makes it smaller is never refused. */
export const hasRoom = (addedBytes: number): Required<Pick<Check, 'if' | 'values'>> =>
  addedBytes > 0
    ? {
        if: '(attribute_not_exists(#entryBytes) OR #entryBytes <= :room)',
        values: { ':room': indexBytesMax - addedBytes },
      }
    : { if: '', values: {} };

/** A change of the size of an index. */
export interface IndexGrowth {
  readonly index: IndexName;
  readonly addedBytes: number;
}

/**
 * Raises the revision and the size of an index of several packages: the transaction changes the head of the
 * package anyway. Its only condition is that there is room, so that parallel changes of different packages do not refuse each other.
 */
const touched = (ref: PackageRef, { index, addedBytes }: IndexGrowth, now: string): Write => {
  const room = hasRoom(addedBytes);
  return {
    update: indexHeadKey(indexRef(ref, index)),
    set: 'SET #updatedAt = :now ADD #revision :one, #entryBytes :entryBytes',
    ...(room.if && { if: room.if }),
    values: { ':now': now, ':one': 1, ':entryBytes': addedBytes, ...room.values },
  };
};

/** Changes the heads of the indexes beside that of the package, each once. */
export const indexesTouched = (ref: PackageRef, growths: readonly IndexGrowth[], now: string): Write[] =>
  Array.from(Map.groupBy(growths, ({ index }) => index)).flatMap(([index, same]) => {
    const addedBytes = same.reduce((sum, each) => sum + each.addedBytes, 0);
    return index === 'package' ? [] : [touched(ref, { index, addedBytes }, now)];
  });

/** Notes a named index, so that whoever removes the content of its repository finds it. */
export const indexNoted = ({ contentId }: PackageRef, index: IndexName): Write[] =>
  index === 'package' || index === 'repository' ? [] : [{ put: { ...namedIndexKey(contentId, index) } }];
