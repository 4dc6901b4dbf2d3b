import { ApiError } from '../errors.ts';
import { releaseBlob } from '../table/blobs.ts';
import type { Table } from '../table/client.ts';
import {
  fileKey,
  filesList,
  heldBy,
  indexChangeKey,
  type ListKey,
  type PackageRef,
  packageEntryKey,
  packageHeadKey,
  packageIndexList,
  repositoryKey,
  versionKey,
  versionsList,
} from '../table/keys.ts';
import { type PackageFile, type PackageHead, type PackageVersion, tagsOf } from '../table/packages.ts';
import { untilSettled } from '../table/races.ts';
import { contentIdOf, type Repository } from '../table/repositories.ts';
import { addUsage } from '../table/usage.ts';
import { foundBy, type Write } from '../table/writes.ts';
import { packParts } from './package-index.ts';
import { distinct, newChangeId, sameContent } from './publication-writes.ts';

/** A transaction takes at most 100 actions. Five of them concern the package, its repository and the usage. */
const actionsMax = 95;

/** The maximum number of files in one transaction. A file needs three actions; its version and the index need one each. */
const filesPerWrite = 31;

/** The maximum number of versions that are read for one transaction; `fitting` decides how many of them it deletes. */
const versionsPerWrite = 31;

/** What one transaction deletes of a version: some of its files, or the rest of its files with the version itself. */
interface Removal {
  readonly version: PackageVersion;
  readonly files: readonly PackageFile[];
  readonly isWhole: boolean;
}

/** A package before a deletion. Every change raises its revision, so the same revision means that nothing changed. */
interface Found {
  readonly head: PackageHead;
  readonly isIndexed: boolean;
}

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
 * Deletes all versions of a package, several in each transaction. Repeating an interrupted deletion completes it. Throws
 * PACKAGE_NOT_FOUND and REPOSITORY_NOT_FOUND.
 */
export const deletePackage = async (table: Table, repository: Repository, name: string): Promise<void> => {
  const ref = { contentId: contentIdOf(repository), name };
  await deleteByParts(table, repository, { ref, versionsMax: Number.POSITIVE_INFINITY }, async () => {
    const versions = await firstLive(table, versionsList(ref), versionsPerWrite);
    return Promise.all(versions.map((version) => removalOf(table, ref, version)));
  });
};

/**
 * Deletes what `next` returns, until `versionsMax` versions or all of them are deleted, or `next` returns nothing. It reads
 * the package before `next` reads the versions, so that the condition on the revision notices every change after that.
 */
const deleteByParts = async (
  table: Table,
  repository: Repository,
  { ref, versionsMax }: { readonly ref: PackageRef; readonly versionsMax: number },
  next: (hasBegun: boolean) => Promise<readonly Removal[]>,
): Promise<void> => {
  let hasBegun = false;
  for (let isOver = false; !isOver; hasBegun = true)
    isOver = await untilSettled(async () => {
      const found = await findPackage(table, ref);
      if (!found && !hasBegun) throw new ApiError('PACKAGE_NOT_FOUND');
      const removals = found ? fitting(await next(hasBegun)) : [];
      if (!found || removals.length === 0) return true;
      const refusal = await table.write(await removalWrites(table, repository, ref, found, removals));
      const deleted = removals.filter(({ isWhole }) => isWhole).length;
      if (!refusal) return deleted === Math.min(versionsMax, found.head.versionCount);
      if (refusal[0]) throw goneError(foundBy(repositoryKey(repository.workspaceId, repository.repositoryId), refusal));
      return undefined;
    });
};

/** The refusal after another request deleted the repository, or emptied it (`repository` is the item then). */
const goneError = (repository: Repository | undefined): ApiError =>
  new ApiError(repository ? 'PACKAGE_NOT_FOUND' : 'REPOSITORY_NOT_FOUND');

/** Reads a package; undefined if it has no version. Only packages of some types have an index. */
const findPackage = async (table: Table, ref: PackageRef): Promise<Found | undefined> => {
  const { items } = await table.query(packageIndexList(ref), { limit: 2 });
  const [first, change] = items;
  const head = first?.position === '' ? heldBy(packageHeadKey(ref), first.item) : undefined;
  if (!head || head.versionCount === 0) return undefined;
  return { head, isIndexed: change !== undefined || head.snapshot !== undefined };
};

const liveOnes = <T extends { readonly deletedAt?: string }>(...items: readonly (T | undefined)[]): T[] =>
  items.filter((item) => item !== undefined).filter(({ deletedAt }) => deletedAt === undefined);

/** The first items of a list that are not tombstones. */
const firstLive = async <T extends { readonly deletedAt?: string }>(
  table: Table,
  list: ListKey<T>,
  wanted = Number.POSITIVE_INFINITY,
): Promise<T[]> => {
  const live: T[] = [];
  let after: string | undefined;
  do {
    const { items, next } = await table.query(list, { after });
    live.push(...liveOnes(...items.map(({ item }) => item)));
    after = next;
  } while (after !== undefined && live.length < wanted);
  return live.slice(0, wanted);
};

const removalOf = async (table: Table, ref: PackageRef, version: PackageVersion): Promise<Removal> => {
  const files = await firstLive(table, filesList(ref, version.version), filesPerWrite + 1);
  return { version, files: files.slice(0, filesPerWrite), isWhole: files.length <= filesPerWrite };
};

/** The first removals, as many as fit into one transaction. */
const fitting = (removals: readonly Removal[]): readonly Removal[] => {
  let actions = 0;
  return removals.filter(({ files }) => {
    actions += 2 + 3 * files.length;
    return actions <= actionsMax;
  });
};

const removalWrites = async (
  table: Table,
  repository: Repository,
  ref: PackageRef,
  { head, isIndexed }: Found,
  removals: readonly Removal[],
): Promise<Write[]> => {
  const now = new Date().toISOString();
  const files = removals.flatMap((removal) => removal.files);
  const versions = removals.filter(({ isWhole }) => isWhole).map(({ version }) => version);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const isLast = versions.length === head.versionCount;
  return [
    sameContent(repository),
    await headWrite(table, ref, head, { versions, bytes, now }),
    ...removals.map((removal) => versionWrite(ref, removal, now)),
    ...files.map(({ version, file }) => ({
      update: fileKey(ref, version, file),
      set: 'SET #deletedAt = :now',
      if: 'attribute_exists(pk) AND attribute_not_exists(#deletedAt)',
      values: { ':now': now },
    })),
    ...distinct(files.map(({ blob }) => blob)).flatMap(({ blob, times }) => releaseBlob(blob, times)),
    ...(isIndexed ? versions : []).map(({ version, revision }) => ({
      insert: {
        ...indexChangeKey(ref, newChangeId()),
        version,
        revision: revision + 1,
        isRemoved: true,
        parts: packParts([]),
      },
    })),
    ...addUsage(repository.workspaceId, ref.contentId, {
      bytes: -bytes,
      files: -files.length,
      packages: isLast ? -1 : 0,
    }),
    ...(isLast ? [{ put: { ...packageEntryKey(ref), displayName: head.displayName, isEmpty: true } }] : []),
  ];
};

const versionWrite = (ref: PackageRef, { version, files, isWhole }: Removal, now: string): Write => ({
  update: versionKey(ref, version.version),
  set: isWhole ? 'SET #deletedAt = :now, #revision = :next' : 'ADD #sizeInBytes :bytes, #fileCount :files',
  if: '#revision = :revision AND attribute_not_exists(#deletedAt)',
  values: {
    ':revision': version.revision,
    ...(isWhole
      ? { ':now': now, ':next': version.revision + 1 }
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
    now,
  }: { readonly versions: readonly PackageVersion[]; readonly bytes: number; readonly now: string },
): Promise<Write> => {
  const gone = new Set(versions.map(({ version }) => version));
  const tags = Object.entries(tagsOf(head)).filter(([, version]) => gone.has(version));
  const isNewestGone = head.newestVersion !== undefined && gone.has(head.newestVersion);
  const newest = isNewestGone ? await newestOf(table, ref, head, gone) : head.newestVersion;
  const removed = [...tags.map((_, index) => `#tag${index}`), ...(newest === undefined ? ['#newestVersion'] : [])];
  return {
    update: packageHeadKey(ref),
    set: `SET #updatedAt = :now${newest === undefined ? '' : ', #newestVersion = :newest'}${removed.length > 0 ? ` REMOVE ${removed.join(', ')}` : ''} ADD #revision :one, #versionCount :versions, #sizeInBytes :bytes`,
    if: '#revision = :revision',
    names: Object.fromEntries(tags.map(([tag], index) => [`#tag${index}`, `tag:${tag}`])),
    values: {
      ':now': now,
      ':one': 1,
      ':versions': -versions.length,
      ':bytes': -bytes,
      ':revision': head.revision,
      ...(newest !== undefined && { ':newest': newest }),
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
