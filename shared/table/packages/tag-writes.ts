import { allOf, equals } from '../field-writes.ts';
import type { Put, Remove } from '../writes.ts';
import { type PackageRef, tagKey } from './package-keys.ts';
import type { PackageTag } from './packages.ts';

/** Moves a tag that is an item of its own. */
export const tagMoved = (ref: PackageRef, tag: string, held: PackageTag): Put => ({
  put: { ...tagKey(ref, tag), ...held },
});

/** Removes a tag that is an item of its own, if it is as it was read. */
export const tagRemoved = (ref: PackageRef, tag: string, { version, revision, updatedAt }: PackageTag): Remove => ({
  remove: tagKey(ref, tag),
  ...allOf(equals('version', version), equals('revision', revision), equals('updatedAt', updatedAt)),
});
