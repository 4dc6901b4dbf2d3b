import { allOf, anyOf, type Condition, equals, isAbsent, isSet, isThere, isUnset, setFields } from '../field-writes.ts';
import type { Check, Put, Remove, Update } from '../writes.ts';
import type { BlobRef } from './blobs.ts';
import { fileKey, type PackageRef, tagKey, versionKey } from './package-keys.ts';
import {
  bytesOf,
  type CountedEntries,
  noVersion,
  type PackageFile,
  type PackageTag,
  type PackageVersion,
} from './packages.ts';

/** The item is there, and no tombstone. */
const isLiveItem: Condition = allOf(isThere, isUnset('deletedAt'));

/** The version is as it was read, and no tombstone. */
const isSame = ({ revision }: Pick<PackageVersion, 'revision'>): Condition =>
  allOf(equals('revision', revision), isUnset('deletedAt'));

/** The bytes and the number of files that a version gets, or loses. */
export interface FileCount {
  readonly bytes: number;
  readonly files: number;
}

const counted = ({ bytes, files }: FileCount) => ({ sizeInBytes: bytes, fileCount: files });

/** The entries of a version, and their size. */
const listed = (indexes: CountedEntries) => ({ indexes, entryBytes: bytesOf(indexes) });

/** Makes a version, or makes it anew of its tombstone `before`. */
export const versionMade = (
  ref: PackageRef,
  before: PackageVersion | undefined,
  version: Omit<PackageVersion, 'deletedAt' | 'entryBytes'> & { readonly indexes: CountedEntries },
): Update =>
  setFields(
    versionKey(ref, version.version),
    { set: { ...version, ...listed(version.indexes) }, remove: ['deletedAt'] },
    before ? allOf(equals('revision', before.revision), isSet('deletedAt')) : isAbsent,
  );

/** Adds files to a version. The update adds to the sums, so it needs no condition on them, and files may be published in parallel. */
export const filesAdded = (ref: PackageRef, version: string, added: FileCount): Update =>
  setFields(versionKey(ref, version), { add: counted(added) }, isLiveItem);

/** Changes entries of a version, and adds files to it. It is then at the next revision. */
export const entriesChanged = (
  ref: PackageRef,
  before: PackageVersion,
  indexes: CountedEntries,
  added?: FileCount,
): Update =>
  setFields(
    versionKey(ref, before.version),
    { set: { revision: before.revision + 1, ...listed(indexes) }, ...(added && { add: counted(added) }) },
    isSame(before),
  );

/** Makes a tombstone of a version; its indexes keep these entries. */
export const versionRemoved = (ref: PackageRef, before: PackageVersion, indexes: CountedEntries, now: string): Update =>
  setFields(
    versionKey(ref, before.version),
    { set: { deletedAt: now, revision: before.revision + 1, ...listed(indexes) } },
    isSame(before),
  );

/** Takes files out of a version that keeps others. */
export const filesRemoved = (ref: PackageRef, before: PackageVersion, { bytes, files }: FileCount): Update =>
  setFields(versionKey(ref, before.version), { add: counted({ bytes: -bytes, files: -files }) }, isSame(before));

/** Requires that a version is as it was read. */
export const sameVersion = (ref: PackageRef, before: Pick<PackageVersion, 'version' | 'revision'>): Check => ({
  check: versionKey(ref, before.version),
  ...isSame(before),
});

/** Requires that a version is there. */
export const versionIsThere = (ref: PackageRef, version: string): Check => ({
  check: versionKey(ref, version),
  ...isLiveItem,
});

/** Requires that a version never was there. */
export const versionIsAbsent = (ref: PackageRef, version: string): Check => ({
  check: versionKey(ref, version),
  ...isAbsent,
});

/** The file is as it was read, because its replacement releases the blob that was read. */
const isSameFile = (before: PackageFile | undefined): Condition =>
  before
    ? allOf(equals('blob', before.blob), before.deletedAt === undefined ? isUnset('deletedAt') : isSet('deletedAt'))
    : isAbsent;

/** Stores a file that takes the place of what was read. */
export const fileReplaced = (ref: PackageRef, file: PackageFile, before: PackageFile | undefined): Update =>
  setFields(fileKey(ref, file.version, file.file), { set: file, remove: ['deletedAt'] }, isSameFile(before));

/** Stores a file that is not there; a tombstone must have the same bytes. */
export const fileMade = (ref: PackageRef, file: PackageFile): Update =>
  setFields(
    fileKey(ref, file.version, file.file),
    { set: file, remove: ['deletedAt'] },
    anyOf(isAbsent, allOf(isSet('deletedAt'), equals('blob.sha256', file.blob.sha256))),
  );

/** Makes a tombstone of a file. */
export const fileRemoved = (ref: PackageRef, { version, file }: PackageFile, now: string): Update =>
  setFields(fileKey(ref, version, file), { set: { deletedAt: now } }, isLiveItem);

/** Notes that a file of no version is needed now. */
export const looseFileUsed = (ref: PackageRef, file: string, blob: BlobRef, now: string): Update =>
  setFields(fileKey(ref, noVersion, file), { set: { usedAt: now } }, allOf(equals('blob', blob), isUnset('deletedAt')));

/** Removes a file of no version, if it was not used since it was read. */
export const looseFileGone = (ref: PackageRef, { file, blob, usedAt }: PackageFile): Remove => ({
  remove: fileKey(ref, noVersion, file),
  ...allOf(equals('blob', blob), equals('usedAt', usedAt)),
});

/** Moves a tag that is an item of its own. */
export const tagMoved = (ref: PackageRef, tag: string, held: PackageTag): Put => ({
  put: { ...tagKey(ref, tag), ...held },
});

/** Removes a tag that is an item of its own, if it is as it was read. */
export const tagRemoved = (ref: PackageRef, tag: string, { version, revision, updatedAt }: PackageTag): Remove => ({
  remove: tagKey(ref, tag),
  ...allOf(equals('version', version), equals('revision', revision), equals('updatedAt', updatedAt)),
});
