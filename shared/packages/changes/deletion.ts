import { ApiError } from '../../errors.ts';
import type { Table } from '../../table/client.ts';
import { heldBy } from '../../table/keys.ts';
import { queryShown } from '../../table/merged-lists.ts';
import {
  fileKey,
  filesList,
  indexList,
  type PackageRef,
  packageHeadKey,
  versionKey,
  versionsList,
} from '../../table/packages/package-keys.ts';
import { isLive, type PackageVersion } from '../../table/packages/packages.ts';
import { untilSettled } from '../../table/races.ts';
import { contentIdOf, type Repository } from '../../table/repositories/repositories.ts';
import type { FileAddress } from '../sources/resolution.ts';
import { goneError } from './gone-error.ts';
import { removalChange } from './package-changes.ts';
import { type Found, firstLive, heldEntries, liveOnes, type Removal, removalWrites } from './removal-writes.ts';

/** A transaction takes at most 100 actions. Eight of them concern the package, its repository, its indexes, the queue of the sweeper, the usage and the record. */
const actionsMax = 92;

/** The maximum number of files in one transaction. A file needs three actions; its version and the index need one each. */
const filesPerWrite = 30;

/** The maximum number of versions that are read for one transaction; `fitting` decides how many of them it deletes. */
const versionsPerWrite = 31;

/**
 * Deletes a version, which is unreachable when this returns. The version and its files leave tombstones, so that a later
 * publication cannot store other bytes under their names. If a version has more files than fit into one transaction, the
 * files go first and the version last, so that repeating an interrupted deletion completes it. Throws PACKAGE_NOT_FOUND,
 * VERSION_NOT_FOUND and REPOSITORY_NOT_FOUND.
 */
export const deleteVersion = async (
  table: Table,
  repository: Repository,
  name: string,
  version: string,
): Promise<void> => {
  const ref = { contentId: contentIdOf(repository), name };
  const key = versionKey(ref, version);
  await deleteByParts(table, repository, { ref, versionsMax: 1 }, async (hasBegun) => {
    const live = liveOnes((await table.read([key])).find(key));
    if (live.length === 0 && !hasBegun) throw new ApiError('VERSION_NOT_FOUND');
    return Promise.all(live.map((found) => removalOf(table, ref, found)));
  });
};

/**
 * Deletes some versions of a package, several in each transaction, the last ones by their names first: what a name only begins goes last.
 * Repeating an interrupted deletion completes it. Throws PACKAGE_NOT_FOUND, VERSION_NOT_FOUND and REPOSITORY_NOT_FOUND.
 */
export const deleteVersions = async (
  table: Table,
  repository: Repository,
  name: string,
  isMeant: (version: string) => boolean,
): Promise<void> => {
  const ref = { contentId: contentIdOf(repository), name };
  await deleteByParts(table, repository, { ref, versionsMax: Number.POSITIVE_INFINITY }, async (hasBegun) => {
    const meant = (await firstLive(table, versionsList(ref))).filter(({ version }) => isMeant(version));
    if (meant.length === 0 && !hasBegun) throw new ApiError('VERSION_NOT_FOUND');
    const last = meant.slice(-versionsPerWrite).toReversed();
    return Promise.all(last.map((version) => removalOf(table, ref, version)));
  });
};

/**
 * Deletes all versions of a package, several in each transaction. Repeating an interrupted deletion completes it. `isMeant` says of
 * which revision of the package: what others change after that stays. Throws PACKAGE_NOT_FOUND, PACKAGE_CHANGED and REPOSITORY_NOT_FOUND.
 */
export const deletePackage = async (
  table: Table,
  repository: Repository,
  name: string,
  isMeant?: (revision: number) => boolean,
): Promise<void> => {
  const ref = { contentId: contentIdOf(repository), name };
  const findVersions = liveVersions(table, ref);
  await deleteByParts(table, repository, { ref, versionsMax: Number.POSITIVE_INFINITY, isMeant }, async () => {
    const versions = await findVersions(versionsPerWrite);
    return Promise.all(versions.map((version) => removalOf(table, ref, version)));
  });
};

/** Finds the first versions of a package that are not deleted, and does not read again those that were deleted before them. */
const liveVersions = (table: Table, ref: PackageRef) => {
  let deletedUpTo: string | undefined;
  const find = async (limit: number): Promise<PackageVersion[]> => {
    const after = deletedUpTo;
    let isBeforeAll = true;
    const page = { after, limit, reach: Number.POSITIVE_INFINITY };
    const { entries } = await queryShown(table, [versionsList(ref)], page, ({ position, items: [item] }) => {
      isBeforeAll &&= !isLive(item);
      if (isBeforeAll) deletedUpTo = position;
      return isLive(item) ? item : undefined;
    });
    if (entries.length > 0 || after === undefined) return entries.map(({ item }) => item);
    // One may have been published before them meanwhile.
    deletedUpTo = undefined;
    return find(limit);
  };
  return find;
};

/**
 * Deletes one file of a version, and the version with its last file. The file is unreachable when this returns, and leaves a
 * tombstone. Throws FILE_NOT_FOUND and REPOSITORY_NOT_FOUND.
 */
export const deleteFile = async (
  table: Table,
  repository: Repository,
  { name, version, file }: FileAddress,
): Promise<void> => {
  const ref = { contentId: contentIdOf(repository), name };
  await untilSettled(table, async () => {
    const found = await findPackage(table, ref);
    const removal = found && (await fileRemovalOf(table, ref, version, file));
    if (!removal) throw new ApiError('FILE_NOT_FOUND');
    const writes = await removalWrites(table, repository, ref, found, [removal]);
    const refusal = await table.write(writes, removalChange(repository, name, [removal]));
    if (!refusal) return true;
    if (refusal[0]) throw goneError(repository, refusal, 'FILE_NOT_FOUND');
    return undefined;
  });
};

/** The error of a deletion that has no time for the rest, or loses every race for it. */
const interrupted = (cause: unknown): unknown =>
  cause instanceof ApiError && cause.code === 'SERVICE_UNAVAILABLE'
    ? new ApiError(
        cause.code,
        'A part of this is deleted, and the rest is too much for one request. Repeat it until it succeeds.',
        [],
        { cause },
      )
    : cause;

/** What is deleted in parts, and of which revision of its package. */
interface Deletion {
  readonly ref: PackageRef;
  readonly versionsMax: number;
  readonly isMeant?: ((revision: number) => boolean) | undefined;
}

/**
 * Deletes what `next` returns, until `versionsMax` versions or all of them are deleted, or `next` returns nothing. It reads
 * the package before `next` reads the versions, so that the condition on the revision notices every change after that.
 */
const deleteByParts = async (
  table: Table,
  repository: Repository,
  { ref, versionsMax, isMeant = () => true }: Deletion,
  next: (hasBegun: boolean) => Promise<readonly Removal[]>,
): Promise<void> => {
  let parts = 0;
  const deletePart = async (): Promise<boolean | undefined> => {
    const found = await findPackage(table, ref);
    if (!found && parts === 0) throw new ApiError('PACKAGE_NOT_FOUND');
    // Each part has raised the revision by one.
    if (found && !isMeant(found.head.revision - parts)) throw new ApiError('PACKAGE_CHANGED');
    const removals = found ? fitting(found, await next(parts > 0)) : [];
    if (!found || removals.length === 0) return true;
    const writes = await removalWrites(table, repository, ref, found, removals);
    const refusal = await table.write(writes, removalChange(repository, ref.name, removals));
    const deleted = removals.filter(({ isWhole }) => isWhole).length;
    if (!refusal) return deleted === Math.min(versionsMax, found.head.versionCount);
    if (refusal[0]) throw goneError(repository, refusal, 'PACKAGE_NOT_FOUND');
    return undefined;
  };
  try {
    for (let isOver = false; !isOver; parts += 1) isOver = await untilSettled(table, deletePart);
  } catch (error) {
    throw parts > 0 ? interrupted(error) : error;
  }
};

/** Reads a package; undefined if it has no version. Only packages of some types have an index. */
const findPackage = async (table: Table, ref: PackageRef): Promise<Found | undefined> => {
  const { items } = await table.query(indexList(ref), { limit: 2 });
  const [first, change] = items;
  const head = first?.position === '' ? heldBy(packageHeadKey(ref), first.item) : undefined;
  if (!head || head.versionCount === 0) return undefined;
  const isIndexed = head.indexedIn !== undefined || change !== undefined || head.snapshot !== undefined;
  return { head, isIndexed };
};

const removalOf = async (table: Table, ref: PackageRef, version: PackageVersion): Promise<Removal> => {
  const files = await firstLive(table, filesList(ref, version.version), filesPerWrite + 1);
  return { version, files: files.slice(0, filesPerWrite), isWhole: files.length <= filesPerWrite };
};

/** The removal of one file; undefined if the version has no such file. */
const fileRemovalOf = async (
  table: Table,
  ref: PackageRef,
  version: string,
  file: string,
): Promise<Removal | undefined> => {
  const [items, files] = await Promise.all([
    table.read([versionKey(ref, version), fileKey(ref, version, file)]),
    firstLive(table, filesList(ref, version), 2),
  ]);
  const [liveVersion] = liveOnes(items.find(versionKey(ref, version)));
  const [liveFile] = liveOnes(items.find(fileKey(ref, version, file)));
  return liveVersion && liveFile && { version: liveVersion, files: [liveFile], isWhole: files.length === 1 };
};

/** The first removals, as many as fit into one transaction. */
const fitting = (found: Found, removals: readonly Removal[]): readonly Removal[] => {
  let actions = 0;
  const heads = new Set(['package']);
  return removals.filter(({ version, files }) => {
    const indexes = Object.keys(heldEntries(found, version));
    for (const index of indexes) heads.add(index);
    actions += 1 + Math.max(1, indexes.length) + 3 * files.length;
    // That of the package and that of another index are among the eight.
    return actions + Math.max(0, heads.size - 2) <= actionsMax;
  });
};
