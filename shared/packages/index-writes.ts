import { randomBytes } from 'node:crypto';
import { indexChangeKey, indexHeadKey, type PackageRef } from '../table/package-keys.ts';
import type { PackageHead } from '../table/packages.ts';
import type { Write } from '../table/writes.ts';
import { entryPlace } from './entry-place.ts';
import { packParts } from './package-index.ts';

/** An ID that sorts by time. Its random part makes it unique, so that parallel changes need no common counter. */
export const newChangeId = (): string => `${Date.now().toString(36).padStart(9, '0')}${randomBytes(6).toString('hex')}`;

/** The new state of a version in its index: its packed parts; without them it is removed. */
export const entryWrite = (
  ref: PackageRef,
  { version, revision, parts }: { readonly version: string; readonly revision: number; readonly parts?: Uint8Array },
  indexedIn: PackageHead['indexedIn'],
): Write => {
  const place = entryPlace(ref, version, indexedIn);
  // A removed entry stays, so that the index also knows which names were ever held.
  const state = parts ? { parts } : { parts: packParts([]), isRemoved: true };
  return { insert: { ...indexChangeKey(place.ref, newChangeId()), version: place.entry, revision, ...state } };
};

/**
 * Raises the revision of the index of a repository, if the entries are there: the transaction changes the head of the package
 * anyway. It has no condition, so that parallel changes of different packages do not refuse each other.
 */
export const indexTouched = ({ contentId }: PackageRef, indexedIn: PackageHead['indexedIn'], now: string): Write[] =>
  indexedIn === undefined
    ? []
    : [
        {
          update: indexHeadKey({ contentId }),
          set: 'SET #updatedAt = :now ADD #revision :one',
          values: { ':now': now, ':one': 1 },
        },
      ];
