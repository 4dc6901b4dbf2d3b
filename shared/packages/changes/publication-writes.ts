import { ApiError } from '../../errors.ts';
import { sumBy } from '../../sums.ts';
import type { BlobRef } from '../../table/packages/blobs.ts';
import { headGrown } from '../../table/packages/head-writes.ts';
import type { IndexHead } from '../../table/packages/package-index.ts';
import { type PackageRef, packageEntryKey } from '../../table/packages/package-keys.ts';
import {
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
import {
  entriesChanged,
  type FileCount,
  fileMade,
  fileReplaced,
  filesAdded,
  tagMoved,
  versionIsAbsent,
  versionMade,
} from '../../table/packages/version-writes.ts';
import { sameContent } from '../../table/repositories/repository-content.ts';
import { ItemTooLargeError, type Refusal, type Write } from '../../table/writes.ts';
import type { PreparedBlob } from '../blobs/blob-storage.ts';
import { indexBytesMax } from '../index/entry-bounds.ts';
import { entryWrite, indexesTouched, indexNoted } from '../index/index-writes.ts';
import type { PackedEntry } from '../index/packed-entries.ts';
import { type FileToPublish, isReplacing, type PackagePublication, type PlannedWrite } from './publication.ts';
import { referencesMoved } from './reference-writes.ts';

/** The items that a publication changes, as they were read. `files` has the order of the files of the publication. */
export interface Known {
  readonly head: PackageHead | undefined;
  /** The heads of the indexes that list the version, in the order of the publication. */
  readonly indexes: readonly (IndexHead | undefined)[];
  readonly version: PackageVersion | undefined;
  /** The same version in another spelling. */
  readonly spelledOtherwise: PackageVersion | undefined;
  readonly files: readonly (PackageFile | undefined)[];
}

/** What a publication stored before its transaction: the blobs of its files, in their order, and the packed index entries that change. */
export interface Prepared {
  readonly blobs: readonly PreparedBlob[];
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
  const bytes = sumBy(files, ({ received }) => received.size) - sumBy(replaced, ({ size }) => size);
  const added = { bytes, files: files.length - replaced.length };
  const loose = publication.loose?.(publication);
  const packages = isPresent(known.head) ? 0 : 1;
  const revision = (known.version?.revision ?? 0) + 1;
  const entryBytes = sumBy(entries, ({ addedBytes }) => addedBytes);
  const ownBytes = sumBy(entries, ({ index, addedBytes }) => (index === 'package' ? addedBytes : 0));
  const change = { isListed: entries.length > 0, indexes: entriesAfter(known, entries, revision), added, now };
  const content: Write[] = [
    ...(loose
      ? []
      : [
          versionWrite(publication, ref, known.version, change),
          ...(known.version ? [] : otherSpellingsAbsent(ref, publication)),
          headWrite(publication, ref, known, { bytes, ownBytes, now }),
          ...addUsage(repository.workspaceId, ref.contentId, { ...added, packages, entryBytes }),
        ]),
    ...files.map((file, index) =>
      fileWrite(publication, ref, file, known.files[index], (blobs[index] as PreparedBlob).ref, now),
    ),
    ...entries.map(({ index, parts }) => entryWrite(ref, { version, revision, parts }, index)),
    ...indexesTouched(ref, entries, now),
    ...entries.flatMap(({ index, head }) => (head ? [] : indexNoted(ref, index))),
    ...(publication.tagItems ?? []).map((tag) => tagMoved(ref, tag, { version, revision, updatedAt: now })),
    ...(packages === 0 || loose ? [] : [{ put: { ...packageEntryKey(ref), displayName } }]),
  ];
  const references = referencesMoved(
    blobs,
    replaced.map(({ blob }) => blob),
  );
  return [
    ...(loose?.writes(added) ?? [{ step: 'repository' as const, write: sameContent(repository) }]),
    ...(publication.session?.ends ?? []).map((write) => ({ step: 'session' as const, write })),
    ...references.map((write) => ({ step: 'blob' as const, write })),
    ...[...content, ...(publication.alsoWritten ?? [])].map((write) => ({ step: 'content' as const, write })),
    ...(publication.remembered ?? []).map((write) => ({ step: 'key' as const, write })),
  ];
};

const otherSpellingsAbsent = (ref: PackageRef, { otherSpellings = [] }: PackagePublication): Write[] =>
  otherSpellings.map((version) => versionIsAbsent(ref, version));

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

/** What a publication changes of its version. */
interface VersionChange {
  /** Whether an index entry of the version changes, too. */
  readonly isListed: boolean;
  readonly indexes: CountedEntries;
  readonly added: FileCount;
  readonly now: string;
}

const versionWrite = (
  { version, origin }: PackagePublication,
  ref: PackageRef,
  before: PackageVersion | undefined,
  { isListed, indexes, added, now }: VersionChange,
): Write => {
  if (isLive(before)) return isListed ? entriesChanged(ref, before, indexes, added) : filesAdded(ref, version, added);
  const revision = (before?.revision ?? 0) + 1;
  const sums = { sizeInBytes: added.bytes, fileCount: added.files };
  return versionMade(ref, before, { version, revision, createdAt: now, origin, ...sums, indexes });
};

const headWrite = (
  { displayName, version, document, tags = [], keptTags, tagItems = [], requireLooseFiles }: PackagePublication,
  ref: PackageRef,
  known: Known,
  { bytes, ownBytes, now }: { readonly bytes: number; readonly ownBytes: number; readonly now: string },
): Write =>
  headGrown(ref, known.head, {
    displayName,
    version,
    isNewVersion: !isLive(known.version),
    tags,
    keptTags,
    bytes,
    // Entries in other indexes are counted there.
    room: { addedBytes: ownBytes, bytesMax: indexBytesMax },
    needsLooseFiles: requireLooseFiles !== undefined,
    now,
    ...(document !== undefined && { document }),
    ...(tagItems.length > 0 && { hasTagItems: true }),
  });

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
  const stored = publishedFile(publication, file, blob, now);
  return isReplacing(publication) ? fileReplaced(ref, stored, before) : fileMade(ref, stored);
};
