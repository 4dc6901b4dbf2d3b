import { sumBy } from '../../sums.ts';
import type { Table } from '../../table/client.ts';
import type { ListKey } from '../../table/keys.ts';
import { headShrunk } from '../../table/packages/head-writes.ts';
import type { IndexName } from '../../table/packages/package-index.ts';
import { type PackageRef, packageEntryKey, versionsList } from '../../table/packages/package-keys.ts';
import {
  type CountedEntries,
  countedEntries,
  isLive,
  type PackageFile,
  type PackageHead,
  type PackageVersion,
  tagsOf,
} from '../../table/packages/packages.ts';
import { addUsage } from '../../table/packages/usage.ts';
import { fileRemoved, filesRemoved, versionRemoved } from '../../table/packages/version-writes.ts';
import { queryPages } from '../../table/query-pages.ts';
import { leaveLooseFiles } from '../../table/queues/loose-sweeps.ts';
import type { Repository } from '../../table/repositories/repositories.ts';
import { sameContent } from '../../table/repositories/repository-content.ts';
import type { Write } from '../../table/writes.ts';
import { sizeWhenRemoved } from '../index/entry-bounds.ts';
import { entryAddress } from '../index/index-listing.ts';
import { entryWrite, type IndexGrowth, indexesTouched } from '../index/index-writes.ts';
import { referencesMoved } from './reference-writes.ts';

/** What one transaction deletes of a version: some of its files, or the rest of its files with the version itself. */
export interface Removal {
  readonly version: PackageVersion;
  readonly files: readonly PackageFile[];
  readonly isWhole: boolean;
}

/** A package before a deletion. Every change raises its revision, so the same revision means that nothing changed. */
export interface Found {
  readonly head: PackageHead;
  /** Whether versions that do not name their indexes have entries. */
  readonly isIndexed: boolean;
}

/** The items that are not tombstones. */
export const liveOnes = <T extends { readonly deletedAt?: string }>(...items: readonly (T | undefined)[]): T[] =>
  items.filter(isLive);

/** The first items of a list that are not tombstones. */
export const firstLive = async <T extends { readonly deletedAt?: string }>(
  table: Table,
  list: ListKey<T>,
  wanted = Number.POSITIVE_INFINITY,
): Promise<T[]> => {
  const live: T[] = [];
  for await (const items of queryPages(table, list)) {
    live.push(...liveOnes(...items.map(({ item }) => item)));
    if (live.length >= wanted) break;
  }
  return live.slice(0, wanted);
};

/** The entries of a version by the names of their indexes. */
export const heldEntries = ({ head, isIndexed }: Found, version: PackageVersion): CountedEntries =>
  version.indexes || isIndexed ? countedEntries(version, head) : {};

/** An entry that is removed: its index keeps its name. */
interface RemovedEntry extends IndexGrowth {
  readonly leftBytes: number;
}

const removedEntries = (ref: PackageRef, found: Found, version: PackageVersion): readonly RemovedEntry[] =>
  Object.entries(heldEntries(found, version)).map(([name, { bytes }]) => {
    const index = name as IndexName;
    const leftBytes = sizeWhenRemoved(entryAddress(ref, version.version, index).entry, bytes);
    return { index, leftBytes, addedBytes: leftBytes - bytes };
  });

/** What the version counts of its removed entries. */
const leftEntries = (removed: readonly RemovedEntry[], revision: number): CountedEntries =>
  Object.fromEntries(removed.map(({ index, leftBytes }) => [index, { bytes: leftBytes, revision }]));

/** The writes of the transaction that makes these removals. They are refused if the package changed since `found` was read. */
export const removalWrites = async (
  table: Table,
  repository: Repository,
  ref: PackageRef,
  found: Found,
  removals: readonly Removal[],
): Promise<Write[]> => {
  const { head } = found;
  const now = new Date().toISOString();
  const files = removals.flatMap((removal) => removal.files);
  const versions = removals.filter(({ isWhole }) => isWhole).map(({ version }) => version);
  const bytes = sizeOf(files);
  const isLast = versions.length === head.versionCount;
  const removed = versions.map((version) => ({ version, entries: removedEntries(ref, found, version) }));
  const growths = removed.flatMap(({ entries }) => entries);
  const entryBytes = addedTo(growths);
  const ownBytes = addedTo(growths.filter(({ index }) => index === 'package'));
  return [
    sameContent(repository),
    await headWrite(table, ref, head, { versions, bytes, entryBytes: ownBytes, now }),
    ...removals.map((removal) => versionWrite(ref, found, removal, now)),
    ...files.map((file) => fileRemoved(ref, file, now)),
    ...referencesMoved(
      [],
      files.map(({ blob }) => blob),
    ),
    ...removed.flatMap(({ version: { version, revision }, entries }) =>
      entries.map(({ index }) => entryWrite(ref, { version, revision: revision + 1 }, index)),
    ),
    ...indexesTouched(ref, growths, now),
    ...addUsage(repository.workspaceId, ref.contentId, {
      bytes: -bytes,
      files: -files.length,
      packages: isLast ? -1 : 0,
      entryBytes,
    }),
    ...(isLast ? [{ put: { ...packageEntryKey(ref), displayName: head.displayName, isEmpty: true } }] : []),
    ...(head.hasLooseFiles ? [leaveLooseFiles(repository, ref)] : []),
  ];
};

const addedTo = (growths: readonly IndexGrowth[]): number => sumBy(growths, ({ addedBytes }) => addedBytes);

const versionWrite = (ref: PackageRef, found: Found, { version, files, isWhole }: Removal, now: string): Write => {
  if (!isWhole) return filesRemoved(ref, version, { bytes: sizeOf(files), files: files.length });
  const left = leftEntries(removedEntries(ref, found, version), version.revision + 1);
  return versionRemoved(ref, version, left, now);
};

const sizeOf = (files: readonly PackageFile[]): number => sumBy(files, ({ size }) => size);

/** Takes versions, and the tags that point to them, out of a package. */
const headWrite = async (
  table: Table,
  ref: PackageRef,
  head: PackageHead,
  {
    versions,
    bytes,
    entryBytes,
    now,
  }: {
    readonly versions: readonly PackageVersion[];
    readonly bytes: number;
    readonly entryBytes: number;
    readonly now: string;
  },
): Promise<Write> => {
  const gone = new Set(versions.map(({ version }) => version));
  const tags = Object.entries(tagsOf(head)).flatMap(([tag, version]) => (gone.has(version) ? [tag] : []));
  const isNewestGone = head.newestVersion !== undefined && gone.has(head.newestVersion);
  return headShrunk(ref, head, {
    versionCount: versions.length,
    bytes,
    addedEntryBytes: entryBytes,
    tags,
    newestVersion: isNewestGone ? await newestOf(table, ref, head, gone) : head.newestVersion,
    now,
  });
};

/** The version that was published last, except those that are deleted now. */
const newestOf = async (
  table: Table,
  ref: PackageRef,
  { versionCount }: PackageHead,
  gone: ReadonlySet<string>,
): Promise<string | undefined> => {
  if (versionCount === gone.size) return undefined;
  const staying = (await firstLive(table, versionsList(ref))).filter(({ version }) => !gone.has(version));
  const [newest] = staying.toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
  return newest?.version;
};
