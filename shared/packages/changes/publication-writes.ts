import { ApiError } from '../../errors.ts';
import { repositoryKey } from '../../table/keys.ts';
import { type BlobRef, referToBlob, releaseBlob } from '../../table/packages/blobs.ts';
import type { IndexHead } from '../../table/packages/package-index.ts';
import { fileKey, type PackageRef, packageEntryKey, versionKey } from '../../table/packages/package-keys.ts';
import {
  bytesOf,
  type CountedEntries,
  countedEntries,
  isLive,
  isPresent,
  noVersion,
  type PackageFile,
  type PackageHead,
  type PackageVersion,
} from '../../table/packages/packages.ts';
import { addUsage } from '../../table/packages/usage.ts';
import type { Repository } from '../../table/repositories/repositories.ts';
import { type Check, foundBy, ItemTooLargeError, type Refusal, type Write } from '../../table/writes.ts';
import { entryWrite, indexesTouched, indexNoted } from '../index/index-writes.ts';
import type { PackedEntry } from '../index/packed-entries.ts';
import { type FileToPublish, isReplacing, type PackagePublication, type PlannedWrite } from './publication.ts';
import { headWrite, tagWrite } from './publication-head.ts';

/** The items that a publication changes, as they were read. `files` has the order of the files of the publication. */
export interface Known {
  readonly head: PackageHead | undefined;
  /** The heads of the indexes that list the version, in the order of the publication. */
  readonly indexes: readonly (IndexHead | undefined)[];
  readonly version: PackageVersion | undefined;
  readonly files: readonly (PackageFile | undefined)[];
}

/** What a publication stored before its transaction: the blobs of its files, in their order, and the packed index entries that change. */
export interface Prepared {
  readonly blobs: readonly BlobRef[];
  readonly entries: readonly PackedEntry[];
}

/** The entries that a version has after a publication, removed ones included. */
const entriesAfter = ({ version, head }: Known, entries: readonly PackedEntry[], revision: number): CountedEntries => ({
  ...(version && countedEntries(version, head)),
  ...Object.fromEntries(entries.map(({ index, bytes }) => [index, { bytes, revision }])),
});

/** The single transaction of a publication. Its conditions fail if an item has changed since it was read. */
export const publicationWrites = (
  publication: PackagePublication,
  ref: PackageRef,
  known: Known,
  { blobs, entries }: Prepared,
): PlannedWrite[] => {
  const { repository, version, files, displayName } = publication;
  const now = new Date().toISOString();
  const replaced = known.files.filter(isLive);
  const bytes = sum(files.map(({ received }) => received.size)) - sum(replaced.map(({ size }) => size));
  const added = { bytes, files: files.length - replaced.length };
  const loose = publication.loose?.(publication);
  const packages = isPresent(known.head) ? 0 : 1;
  const revision = (known.version?.revision ?? 0) + 1;
  const entryBytes = sum(entries.map(({ addedBytes }) => addedBytes));
  const ownBytes = sum(entries.map(({ index, addedBytes }) => (index === 'package' ? addedBytes : 0)));
  const isListed = entries.length > 0;
  const change = { revision, isListed, indexes: entriesAfter(known, entries, revision), ...added, now };
  const content: Write[] = [
    ...(loose
      ? []
      : [
          versionWrite(publication, ref, known.version, change),
          headWrite(publication, ref, known, { bytes, entryBytes: ownBytes, now }),
          ...addUsage(repository.workspaceId, ref.contentId, { ...added, packages, entryBytes }),
        ]),
    ...files.map((file, index) => fileWrite(publication, ref, file, known.files[index], blobs[index] as BlobRef, now)),
    ...distinct(blobs).map(({ blob, times }) => referToBlob(blob, times)),
    ...distinct(replaced.map(({ blob }) => blob)).flatMap(({ blob, times }) => releaseBlob(blob, times)),
    ...entries.map(({ index, parts }) => entryWrite(ref, { version, revision, parts }, index)),
    ...indexesTouched(ref, entries, now),
    ...entries.flatMap(({ index, head }) => (head ? [] : indexNoted(ref, index))),
    ...(publication.tagItems ?? []).map((tag) => tagWrite(ref, tag, { version, revision, updatedAt: now })),
    ...(packages === 0 || loose ? [] : [{ put: { ...packageEntryKey(ref), displayName } }]),
  ];
  return [
    ...(loose?.writes(added) ?? [{ step: 'repository' as const, write: sameContent(repository) }]),
    ...(publication.session?.ends ?? []).map((write) => ({ step: 'session' as const, write })),
    ...[...content, ...(publication.alsoWritten ?? [])].map((write) => ({ step: 'content' as const, write })),
    ...(publication.remembered ?? []).map((write) => ({ step: 'key' as const, write })),
  ];
};

/** The refusal of what `sameContent` refused, at a position. */
export const endedError = ({ workspaceId, repositoryId }: Repository, refusal: Refusal, at: number): ApiError =>
  // The repository was emptied in the meantime. A retry of the client publishes to the new content.
  new ApiError(
    foundBy(repositoryKey(workspaceId, repositoryId), refusal, at) ? 'SERVICE_UNAVAILABLE' : 'REPOSITORY_NOT_FOUND',
  );

/** Writes to a package. Throws PACKAGE_INVALID if its head would be too large, which holds all of its tags. */
export const writeToPackage = async (
  name: string,
  write: () => Promise<Refusal | undefined>,
): Promise<Refusal | undefined> => {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof ItemTooLargeError)) throw error;
    throw new ApiError(
      'PACKAGE_INVALID',
      `The tags and the readme of ${name} may have at most 400 KiB together. Remove tags that nobody needs, then try again.`,
    );
  }
};

/** The sum of these numbers. */
export const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** The blobs, each once with its count: a transaction may have only one action for each item. */
export const distinct = (blobs: readonly BlobRef[]): { readonly blob: BlobRef; readonly times: number }[] =>
  Array.from(Map.groupBy(blobs, ({ sha256 }) => sha256).values()).flatMap((same) =>
    same.slice(0, 1).map((blob) => ({ blob, times: same.length })),
  );

/** The condition that the repository still exists and was not emptied since it was read. */
export const sameContent = ({ workspaceId, repositoryId, contentId }: Repository): Check =>
  contentId === undefined
    ? {
        check: repositoryKey(workspaceId, repositoryId),
        if: 'attribute_exists(pk) AND attribute_not_exists(#contentId)',
      }
    : {
        check: repositoryKey(workspaceId, repositoryId),
        if: '#contentId = :contentId',
        values: { ':contentId': contentId },
      };

interface VersionChange {
  readonly revision: number;
  /** Whether an index entry of the version changes too. */
  readonly isListed: boolean;
  readonly indexes: CountedEntries;
  readonly bytes: number;
  readonly files: number;
  readonly now: string;
}

const versionWrite = (
  { version, origin }: PackagePublication,
  ref: PackageRef,
  before: PackageVersion | undefined,
  { revision, isListed, indexes, bytes, files, now }: VersionChange,
): Write => {
  const key = versionKey(ref, version);
  const added = { ':bytes': bytes, ':files': files };
  const listed = { ':indexes': indexes, ':entryBytes': bytesOf(indexes) };
  if (isLive(before) && isListed)
    return {
      update: key,
      set: 'SET #revision = :revision, #indexes = :indexes, #entryBytes = :entryBytes ADD #sizeInBytes :bytes, #fileCount :files',
      if: '#revision = :before AND attribute_not_exists(#deletedAt)',
      values: { ...added, ...listed, ':revision': revision, ':before': before.revision },
    };
  // The update adds to the sums, so it needs no condition on them, and files may be published in parallel.
  if (isLive(before))
    return {
      update: key,
      set: 'ADD #sizeInBytes :bytes, #fileCount :files',
      if: 'attribute_exists(pk) AND attribute_not_exists(#deletedAt)',
      values: added,
    };
  return {
    update: key,
    set: 'SET #version = :version, #revision = :revision, #createdAt = :now, #origin = :origin, #sizeInBytes = :bytes, #fileCount = :files, #indexes = :indexes, #entryBytes = :entryBytes REMOVE #deletedAt',
    if: before ? '#revision = :before AND attribute_exists(#deletedAt)' : 'attribute_not_exists(pk)',
    values: {
      ...added,
      ...listed,
      ':version': version,
      ':revision': revision,
      ':now': now,
      ':origin': origin,
      ...(before && { ':before': before.revision }),
    },
  };
};

/** A file as a publication stores it. */
export const publishedFile = (
  { version, origin }: PackagePublication,
  { name, mediaType, received, copy }: FileToPublish,
  blob: BlobRef,
  now: string,
): PackageFile => {
  const { sha256: _, ...hashes } = received.hashes;
  return {
    file: name,
    version,
    size: received.size,
    mediaType,
    blob,
    ...hashes,
    createdAt: now,
    origin,
    ...(copy && { copy }),
    ...(version === noVersion && { usedAt: now }),
  };
};

const fileWrite = (
  publication: PackagePublication,
  ref: PackageRef,
  file: FileToPublish,
  before: PackageFile | undefined,
  blob: BlobRef,
  now: string,
): Write => {
  const fields = publishedFile(publication, file, blob, now);
  const condition = isReplacing(publication)
    ? sameFile(before)
    : {
        if: 'attribute_not_exists(pk) OR (attribute_exists(#deletedAt) AND #blob.#sha256 = :sha256)',
        values: { ':sha256': file.received.hashes.sha256 },
      };
  return {
    update: fileKey(ref, publication.version, file.name),
    set: `SET ${Object.keys(fields)
      .map((field) => `#${field} = :${field}`)
      .join(', ')} REMOVE #deletedAt`,
    if: condition.if,
    values: {
      ...Object.fromEntries(Object.entries(fields).map(([field, value]) => [`:${field}`, value])),
      ...condition.values,
    },
  };
};

/** The condition that a file is as it was read, because its replacement releases the blob that was read. */
const sameFile = (before: PackageFile | undefined): Pick<Check, 'if' | 'values'> => {
  if (!before) return { if: 'attribute_not_exists(pk)' };
  const state = before.deletedAt === undefined ? 'attribute_not_exists' : 'attribute_exists';
  return { if: `#blob = :before AND ${state}(#deletedAt)`, values: { ':before': before.blob } };
};
