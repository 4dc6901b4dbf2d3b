import { allOf, anyOf, type Condition, equals, isAbsent, isSet, isUnset, setFields } from '../field-writes.ts';
import type { Remove, Update } from '../writes.ts';
import type { BlobRef } from './blobs.ts';
import { fileKey, type PackageRef } from './package-keys.ts';
import { noVersion, type PackageFile } from './packages.ts';
import { isLiveItem } from './version-writes.ts';

/** The file is as it was read, because its replacement releases the blob that was read. */
const isSame = (before: PackageFile | undefined): Condition =>
  before
    ? allOf(equals('blob', before.blob), before.deletedAt === undefined ? isUnset('deletedAt') : isSet('deletedAt'))
    : isAbsent;

/** Stores a file that takes the place of what was read. */
export const fileReplaced = (ref: PackageRef, file: PackageFile, before: PackageFile | undefined): Update =>
  setFields(fileKey(ref, file.version, file.file), { set: file, remove: ['deletedAt'] }, isSame(before));

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
