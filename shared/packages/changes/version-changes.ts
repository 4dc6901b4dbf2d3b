import { ApiError } from '../../errors.ts';
import { checkQuota, type Quota } from '../../http/quota.ts';
import { bestEffort } from '../../observability/best-effort.ts';
import type { Change, Fields } from '../../table/changes.ts';
import type { Table } from '../../table/client.ts';
import { headTagged, headTouched } from '../../table/packages/head-writes.ts';
import { type PackageRef, versionKey } from '../../table/packages/package-keys.ts';
import { countedEntries, isLive, type PackageHead, type PackageVersion } from '../../table/packages/packages.ts';
import { addUsage } from '../../table/packages/usage.ts';
import { entriesChanged, versionIsThere } from '../../table/packages/version-writes.ts';
import { untilSettled } from '../../table/races.ts';
import type { Repository } from '../../table/repositories/repositories.ts';
import { sameContent } from '../../table/repositories/repository-content.ts';
import type { Write } from '../../table/writes.ts';
import { compactIndex, needsCompaction } from '../index/compaction.ts';
import { indexBytesMax, requireRoom, sizeOfEntry } from '../index/entry-bounds.ts';
import type { IndexEntry } from '../index/index-entry.ts';
import { entryWrite } from '../index/index-writes.ts';
import { loadIndex, packParts } from '../index/package-index.ts';
import { checkParts } from '../index/snapshot.ts';
import { goneError } from './gone-error.ts';
import { packageChange } from './package-changes.ts';
import { writeToPackage } from './publication-writes.ts';

/** A version and its entry in the index, as of now. */
interface Current {
  readonly head: PackageHead;
  readonly entry: IndexEntry;
  readonly version: PackageVersion;
}

const currentOf = async (table: Table, ref: PackageRef, version: string): Promise<Current> => {
  const key = versionKey(ref, version);
  const [loaded, index] = await Promise.all([table.read([key]), loadIndex(table, ref)]);
  const found = loaded.find(key);
  const entry = index?.entries.get(version);
  if (!isLive(found) || !index || !entry) throw new ApiError('VERSION_NOT_FOUND');
  return { head: index.head, entry, version: found };
};

/** The version to change, and the limits of its workspace. */
export interface ChangedVersion {
  readonly repository: Repository;
  readonly quota: Quota;
  readonly ref: PackageRef;
  readonly version: string;
}

/**
 * Changes the entry of a version in the index of its package, for example its deprecation. `change` gets the parts of the current entry and
 * returns the new ones, or undefined for no change. It is called again if another request changed the entry first. `fieldsOf` says what
 * changes, for the record. Throws REPOSITORY_NOT_FOUND, VERSION_NOT_FOUND, PACKAGE_INVALID and QUOTA_EXCEEDED.
 */
export const changeVersion = async (
  table: Table,
  { repository, quota, ref, version }: ChangedVersion,
  change: (parts: readonly string[]) => readonly string[] | undefined,
  fieldsOf: (parts: readonly string[]) => Fields,
): Promise<void> => {
  await untilSettled(table, async () => {
    const current = await currentOf(table, ref, version);
    const parts = change(current.entry.parts);
    if (!parts) return true;
    checkParts(parts);
    const { revision } = current.version;
    const before = countedEntries(current.version, current.head);
    const entry = { bytes: sizeOfEntry(version, parts), revision: revision + 1 };
    const addedBytes = entry.bytes - (before.package?.bytes ?? 0);
    const indexes = { ...before, package: entry };
    requireRoom(current.head, addedBytes);
    // What makes an entry smaller is never refused.
    if (addedBytes > 0) await checkQuota(table, quota, repository.workspaceId, { bytes: addedBytes, packages: 0 });
    const refusal = await table.write(
      [
        sameContent(repository),
        entriesChanged(ref, current.version, indexes),
        entryWrite(ref, { version, revision: revision + 1, parts: packParts(parts) }, 'package'),
        headTouched(ref, { addedBytes, bytesMax: indexBytesMax }, new Date().toISOString()),
        ...entryUsage(repository, ref, addedBytes),
      ],
      packageChange(
        'package.changed',
        repository,
        ref.name,
        { version, ...fieldsOf(current.entry.parts) },
        { version, ...fieldsOf(parts) },
      ),
    );
    if (refusal?.[0]) throw goneError(repository, refusal, 'VERSION_NOT_FOUND');
    if (refusal) return undefined;
    // Every reader reads all changes since the last snapshot, those of one version too.
    if (needsCompaction(current.head)) await bestEffort(compactIndex(table, repository.workspaceId, ref));
    return true;
  });
};

const entryUsage = ({ workspaceId }: Repository, { contentId }: PackageRef, entryBytes: number): Write[] =>
  entryBytes === 0 ? [] : addUsage(workspaceId, contentId, { bytes: 0, files: 0, packages: 0, entryBytes });

/** Nobody reads where the tag pointed before. */
const tagChange = (repository: Repository, { name }: PackageRef, tag: string, version: string | null): Change =>
  packageChange('package.changed', repository, name, null, { tags: { [tag]: version } });

/** Sets a tag to a version, or moves it there. Throws REPOSITORY_NOT_FOUND, VERSION_NOT_FOUND and PACKAGE_INVALID. */
export const setTag = async (
  table: Table,
  repository: Repository,
  ref: PackageRef,
  tag: string,
  version: string,
): Promise<void> => {
  const writes: Write[] = [
    sameContent(repository),
    versionIsThere(ref, version),
    headTagged(ref, tag, version, new Date().toISOString()),
  ];
  const refusal = await writeToPackage(ref.name, () => table.write(writes, tagChange(repository, ref, tag, version)));
  if (refusal) throw goneError(repository, refusal, 'VERSION_NOT_FOUND');
};

/** Removes a tag, if the package has it. Throws REPOSITORY_NOT_FOUND and PACKAGE_NOT_FOUND. */
export const removeTag = async (table: Table, repository: Repository, ref: PackageRef, tag: string): Promise<void> => {
  const refusal = await table.write(
    [sameContent(repository), headTagged(ref, tag, null, new Date().toISOString())],
    tagChange(repository, ref, tag, null),
  );
  if (refusal) throw goneError(repository, refusal, 'PACKAGE_NOT_FOUND');
};
