import type { Table } from '../../table/client.ts';
import type { ListKey } from '../../table/keys.ts';
import { releaseBlob } from '../../table/packages/blobs.ts';
import type { IndexName } from '../../table/packages/package-index.ts';
import {
  fileKey,
  type PackageRef,
  packageEntryKey,
  packageHeadKey,
  versionKey,
  versionsList,
} from '../../table/packages/package-keys.ts';
import {
  bytesOf,
  type CountedEntries,
  countedEntries,
  isLive,
  type PackageFile,
  type PackageHead,
  type PackageVersion,
  tagsOf,
} from '../../table/packages/packages.ts';
import { addUsage } from '../../table/packages/usage.ts';
import { queryPages } from '../../table/query-pages.ts';
import { leaveLooseFiles } from '../../table/queues/loose-sweeps.ts';
import type { Repository } from '../../table/repositories/repositories.ts';
import type { Write } from '../../table/writes.ts';
import { sizeWhenRemoved } from '../index/entry-bounds.ts';
import { entryAddress } from '../index/index-listing.ts';
import { entryWrite, type IndexGrowth, indexesTouched } from '../index/index-writes.ts';
import { distinct, sameContent } from './publication-writes.ts';

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
export const entriesIn = ({ head, isIndexed }: Found, version: PackageVersion): CountedEntries =>
  version.indexes || isIndexed ? countedEntries(version, head) : {};

/** An entry that is removed: its index keeps its name. */
interface RemovedEntry extends IndexGrowth {
  readonly leftBytes: number;
}

const removedEntries = (ref: PackageRef, found: Found, version: PackageVersion): readonly RemovedEntry[] =>
  Object.entries(entriesIn(found, version)).map(([name, { bytes }]) => {
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
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const isLast = versions.length === head.versionCount;
  const removed = versions.map((version) => ({ version, entries: removedEntries(ref, found, version) }));
  const growths = removed.flatMap(({ entries }) => entries);
  const entryBytes = addedTo(growths);
  const ownBytes = addedTo(growths.filter(({ index }) => index === 'package'));
  return [
    sameContent(repository),
    await headWrite(table, ref, head, { versions, bytes, entryBytes: ownBytes, now }),
    ...removals.map((removal) =>
      versionWrite(ref, removal, {
        now,
        indexes: leftEntries(removedEntries(ref, found, removal.version), removal.version.revision + 1),
      }),
    ),
    ...files.map(({ version, file }) => ({
      update: fileKey(ref, version, file),
      set: 'SET #deletedAt = :now',
      if: 'attribute_exists(pk) AND attribute_not_exists(#deletedAt)',
      values: { ':now': now },
    })),
    ...distinct(files.map(({ blob }) => blob)).flatMap(({ blob, times }) => releaseBlob(blob, times)),
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

const addedTo = (growths: readonly IndexGrowth[]): number =>
  growths.reduce((sum, { addedBytes }) => sum + addedBytes, 0);

const versionWrite = (
  ref: PackageRef,
  { version, files, isWhole }: Removal,
  { now, indexes }: { readonly now: string; readonly indexes: CountedEntries },
): Write => ({
  update: versionKey(ref, version.version),
  set: isWhole
    ? 'SET #deletedAt = :now, #revision = :next, #indexes = :indexes, #entryBytes = :entryBytes'
    : 'ADD #sizeInBytes :bytes, #fileCount :files',
  if: '#revision = :revision AND attribute_not_exists(#deletedAt)',
  values: {
    ':revision': version.revision,
    ...(isWhole
      ? { ':now': now, ':next': version.revision + 1, ':indexes': indexes, ':entryBytes': bytesOf(indexes) }
      : { ':bytes': -files.reduce((sum, { size }) => sum + size, 0), ':files': -files.length }),
  },
});

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
  const tags = Object.entries(tagsOf(head)).filter(([, version]) => gone.has(version));
  const isNewestGone = head.newestVersion !== undefined && gone.has(head.newestVersion);
  const newest = isNewestGone ? await newestOf(table, ref, head, gone) : head.newestVersion;
  const removed = [...tags.map((_, index) => `#tag${index}`), ...(newest === undefined ? ['#newestVersion'] : [])];
  return {
    update: packageHeadKey(ref),
    set: `SET #updatedAt = :now${newest === undefined ? '' : ', #newestVersion = :newest'}${removed.length > 0 ? ` REMOVE ${removed.join(', ')}` : ''} ADD #revision :one, #versionCount :versions, #sizeInBytes :bytes${entryBytes === 0 ? '' : ', #entryBytes :entryBytes'}`,
    if: '#revision = :revision',
    names: Object.fromEntries(tags.map(([tag], index) => [`#tag${index}`, `tag:${tag}`])),
    values: {
      ':now': now,
      ':one': 1,
      ':versions': -versions.length,
      ':bytes': -bytes,
      ':revision': head.revision,
      ...(newest !== undefined && { ':newest': newest }),
      ...(entryBytes !== 0 && { ':entryBytes': entryBytes }),
    },
  };
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
