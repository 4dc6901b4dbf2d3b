import type { Table } from '../../table/client.ts';
import { type BlobRef, releaseBlob } from '../../table/packages/blobs.ts';
import { addLooseBytes } from '../../table/packages/loose-sizes.ts';
import type { PackageRef } from '../../table/packages/package-keys.ts';
import type { PackageFile } from '../../table/packages/packages.ts';
import { addUsage } from '../../table/packages/usage.ts';
import { looseFileGone, looseFileUsed } from '../../table/packages/version-writes.ts';
import type { Repository } from '../../table/repositories/repositories.ts';
import { sameContent } from '../../table/repositories/repository-content.ts';
import type { Write } from '../../table/writes.ts';
import type { IndexEntry } from '../index/index-entry.ts';

/** The first part of the entry of a version that needs files of no version: their names, which contain no comma. */
export const neededPart = (files: readonly string[]): string => files.join(',');

/** The names of the files of no version that a version needs. */
export const neededBy = ({ parts: [needed = ''] }: IndexEntry): readonly string[] =>
  needed === '' ? [] : needed.split(',');

/** Notes that a file is needed now, and writes more with it. Returns false if the file is not there any more, or if that is refused. */
export const useLooseFile = async (
  table: Table,
  ref: PackageRef,
  { file, blob }: { readonly file: string; readonly blob: BlobRef },
  alsoWritten: readonly Write[] = [],
): Promise<boolean> => {
  const refusal = await table.writeUnrecorded([
    looseFileUsed(ref, file, blob, new Date().toISOString()),
    ...alsoWritten,
  ]);
  return !refusal;
};

/** The writes that remove a file that belongs to no version. They are refused if the file was used since it was read. */
export const looseFileRemoved = (repository: Repository, ref: PackageRef, file: PackageFile): Write[] => [
  sameContent(repository),
  looseFileGone(ref, file),
  addLooseBytes(ref, -file.size),
  ...releaseBlob(file.blob),
  ...addUsage(repository.workspaceId, ref.contentId, { bytes: -file.size, files: -1, packages: 0 }),
];
