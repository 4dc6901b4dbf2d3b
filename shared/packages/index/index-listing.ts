import type { IndexName } from '../../table/packages/package-index.ts';
import type { IndexRef, PackageRef } from '../../table/packages/package-keys.ts';

/** How a publication lists its version in an index. */
export interface IndexListing {
  readonly index: IndexName;
  /** The texts of the entry of a new version. */
  readonly parts: readonly string[];
  /**
   * The texts of the entry of a version that exists, when files are added to it; or what returns them from those it has, and is called again
   * if another request changed the entry first. Without it, the entry stays as it is.
   */
  readonly addedParts?: readonly string[] | ((parts: readonly string[]) => readonly string[]);
}

/**
 * Where the entry of a version is. Most package types have an index for each package, with an entry under each version. The
 * other indexes are of several packages, with an entry under the name of the package, a space and the version, so such a name
 * contains no space. Transactions only add to the revision of their heads, without a condition, so that publications of
 * different packages do not refuse each other.
 */
export interface EntryAddress {
  readonly ref: IndexRef;
  readonly entry: string;
}

/** The index of that name: that of the package, or another one of its repository. */
export const indexRef = (ref: PackageRef, index: IndexName): IndexRef => {
  if (index === 'package') return ref;
  return index === 'repository' ? { contentId: ref.contentId } : { contentId: ref.contentId, index };
};

/** The address of the entry of a version in an index. */
export const entryAddress = (ref: PackageRef, version: string, index: IndexName): EntryAddress => ({
  ref: indexRef(ref, index),
  entry: index === 'package' ? version : `${ref.name} ${version}`,
});

/** The name of the package and the version that an entry of such an index has. */
export const nameAndVersion = (entry: string): { readonly name: string; readonly version: string } => {
  const at = entry.indexOf(' ');
  return { name: entry.slice(0, at), version: entry.slice(at + 1) };
};
