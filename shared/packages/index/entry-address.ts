import type { IndexRef, PackageRef } from '../../table/packages/package-keys.ts';
import type { PackageHead } from '../../table/packages/packages.ts';

/**
 * Where the entry of a version is. Most package types have an index for each package, with an entry under each version. A type
 * whose clients read one document about all packages sets `indexedIn` in each publication. Then the repository has one index,
 * with an entry under the name of the package, a space and the version, so such a name contains no space. Transactions only
 * add to the revision of its head, without a condition, so that publications of different packages do not refuse each other.
 */
export interface EntryAddress {
  readonly ref: IndexRef;
  readonly entry: string;
}

/** The address of the entry of a version. */
export const entryAddress = (ref: PackageRef, version: string, indexedIn: PackageHead['indexedIn']): EntryAddress =>
  indexedIn === 'repository'
    ? { ref: { contentId: ref.contentId }, entry: `${ref.name} ${version}` }
    : { ref, entry: version };
