import { randomBytes } from 'node:crypto';
import { indexChangeKey, indexHeadKey, type PackageRef } from '../../table/packages/package-keys.ts';
import type { PackageHead } from '../../table/packages/packages.ts';
import type { Check, Write } from '../../table/writes.ts';
import { entryAddress } from './entry-address.ts';
import { indexBytesMax } from './entry-bounds.ts';
import { packParts } from './package-index.ts';

/** An ID that sorts by time. Its random part makes it unique, so that parallel changes need no common counter. */
export const newChangeId = (): string => `${Date.now().toString(36).padStart(9, '0')}${randomBytes(6).toString('hex')}`;

/** The new state of a version in its index: its packed parts; without them it is removed. */
export const entryWrite = (
  ref: PackageRef,
  { version, revision, parts }: { readonly version: string; readonly revision: number; readonly parts?: Uint8Array },
  indexedIn: PackageHead['indexedIn'],
): Write => {
  const address = entryAddress(ref, version, indexedIn);
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

/**
 * Raises the revision and the size of the index of a repository, if the entries are there: the transaction changes the head of the
 * package anyway. Its only condition is that there is room, so that parallel changes of different packages do not refuse each other.
 */
export const indexTouched = (
  { contentId }: PackageRef,
  indexedIn: PackageHead['indexedIn'],
  { now, entryBytes }: { readonly now: string; readonly entryBytes: number },
): Write[] => {
  if (indexedIn === undefined) return [];
  const room = hasRoom(entryBytes);
  return [
    {
      update: indexHeadKey({ contentId }),
      set: 'SET #updatedAt = :now ADD #revision :one, #entryBytes :entryBytes',
      ...(room.if && { if: room.if }),
      values: { ':now': now, ':one': 1, ':entryBytes': entryBytes, ...room.values },
    },
  ];
};
