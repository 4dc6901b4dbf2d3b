import type { Table } from '../../table/client.ts';
import type { IndexHead, IndexName } from '../../table/packages/package-index.ts';
import type { PackageRef } from '../../table/packages/package-keys.ts';
import { countedEntries, isLive, type PackageHead, type PackageVersion } from '../../table/packages/packages.ts';
import { requireRoom, sizeOfEntry, sizeWhenRemoved } from './entry-bounds.ts';
import { entryAddress, type IndexListing } from './index-listing.ts';
import { entriesOf, packParts, readIndex } from './package-index.ts';
import { checkParts } from './snapshot.ts';

/** The index entry of a version in the form of the table. */
export interface PackedEntry {
  readonly index: IndexName;
  /** The head of this index, as it was before. */
  readonly head: IndexHead | undefined;
  readonly parts: Uint8Array;
  /** Its size before compression, and by how much it differs from that of the entry that it replaces. */
  readonly bytes: number;
  readonly addedBytes: number;
}

/** A version in one index, and the version as it was read. */
interface ListedVersion {
  readonly name: string;
  readonly listing: IndexListing;
  readonly known: PackageVersion | undefined;
}

/** The heads of the package and of the index, as they were read. */
interface Heads {
  readonly head: PackageHead | undefined;
  readonly index: IndexHead | undefined;
}

/** The entry that an index gets of a version; undefined if it stays as it is. Throws PACKAGE_INVALID if it is too large. */
export const packedEntry = async (
  table: Table,
  ref: PackageRef,
  listed: ListedVersion,
  { head: packageHead, index: head }: Heads,
): Promise<PackedEntry | undefined> => {
  const { name, listing, known } = listed;
  const { index } = listing;
  const changed = isLive(known) ? await changedParts(table, ref, listed) : listing.parts;
  if (!changed) return undefined;
  checkParts(changed);
  const parts = packParts(changed);
  const { entry } = entryAddress(ref, name, index);
  const bytes = sizeOfEntry(entry, changed);
  const counted = (known && countedEntries(known, packageHead)[index]?.bytes) ?? 0;
  const addedBytes = bytes - (isLive(known) ? counted : sizeWhenRemoved(entry, counted));
  requireRoom(head, addedBytes);
  return { index, head, parts, bytes, addedBytes };
};

/** Reads the entry after the version, whose revision is a condition of the write: an entry of another revision is refused. */
const changedParts = async (
  table: Table,
  ref: PackageRef,
  { name, listing: { index, addedParts } }: ListedVersion,
): Promise<readonly string[] | undefined> => {
  if (typeof addedParts !== 'function') return addedParts;
  const address = entryAddress(ref, name, index);
  const found = await readIndex(table, address.ref);
  const entries = found && (await entriesOf(table, found));
  return addedParts(entries?.get(address.entry)?.parts ?? []);
};
