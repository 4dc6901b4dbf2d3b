import type { Table } from '../../table/client.ts';
import { type BlobRef, releaseBlob } from '../../table/packages/blobs.ts';
import { addLooseBytes } from '../../table/packages/loose-sizes.ts';
import type { IndexHead } from '../../table/packages/package-index.ts';
import { fileKey, type PackageRef, packageHeadKey } from '../../table/packages/package-keys.ts';
import { noVersion, type PackageFile } from '../../table/packages/packages.ts';
import { addUsage } from '../../table/packages/usage.ts';
import type { Repository } from '../../table/repositories/repositories.ts';
import type { Update, Write } from '../../table/writes.ts';
import { sameContent } from '../changes/publication-writes.ts';
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
    {
      update: fileKey(ref, noVersion, file),
      set: 'SET #usedAt = :now',
      if: '#blob = :blob AND attribute_not_exists(#deletedAt)',
      values: { ':now': new Date().toISOString(), ':blob': blob },
    },
    ...alsoWritten,
  ]);
  return !refusal;
};

/** The writes that remove a file that belongs to no version. They are refused if the file was used since it was read. */
export const looseFileRemoved = (
  repository: Repository,
  ref: PackageRef,
  { file, size, blob, usedAt }: PackageFile,
): Write[] => [
  sameContent(repository),
  {
    remove: fileKey(ref, noVersion, file),
    if:
      usedAt === undefined ? '#blob = :blob AND attribute_not_exists(#usedAt)' : '#blob = :blob AND #usedAt = :usedAt',
    values: { ':blob': blob, ...(usedAt !== undefined && { ':usedAt': usedAt }) },
  },
  addLooseBytes(ref, -size),
  ...releaseBlob(blob),
  ...addUsage(repository.workspaceId, ref.contentId, { bytes: -size, files: -1, packages: 0 }),
];

/**
 * Notes that somebody deletes a file that no version needs. It is refused if a version was published since the index was read,
 * and refuses the versions whose files were looked up before.
 */
export const looseRemovalNoted = (ref: PackageRef, { revision }: Pick<IndexHead, 'revision'>): Update => ({
  update: packageHeadKey(ref),
  set: 'SET #updatedAt = :now ADD #looseRemovals :one',
  if: '#revision = :revision',
  values: { ':now': new Date().toISOString(), ':one': 1, ':revision': revision },
});
