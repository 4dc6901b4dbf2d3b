import { ApiError } from '../../errors.ts';
import { checkQuota } from '../../http/quota.ts';
import { bestEffort } from '../../observability/best-effort.ts';
import { sumBy } from '../../sums.ts';
import type { Table } from '../../table/client.ts';
import type { IdentityMap } from '../../table/identity-map.ts';
import { blobKey, type Key } from '../../table/keys.ts';
import type { IndexHead } from '../../table/packages/package-index.ts';
import {
  fileKey,
  type IndexRef,
  indexHeadKey,
  type PackageRef,
  packageHeadKey,
  versionKey,
} from '../../table/packages/package-keys.ts';
import { isLive, isPresent, type PackageFile, type PackageVersion } from '../../table/packages/packages.ts';
import { untilSettled } from '../../table/races.ts';
import { contentIdOf } from '../../table/repositories/repositories.ts';
import type { Refusal } from '../../table/writes.ts';
import { type PreparedBlob, preparedBlob, prepareFetched, restoreBlob, storeBlob } from '../blobs/blob-storage.ts';
import { indexRef } from '../index/index-listing.ts';
import { type PackedEntry, packedEntry } from '../index/packed-entries.ts';
import { goneError } from './gone-error.ts';
import { publicationChange } from './package-changes.ts';
import { isReplacing, type PackagePublication, type PlannedWrite } from './publication.ts';
import { type Known, publicationWrites, publishedFile, writeToPackage } from './publication-writes.ts';

/** The result of a publication. */
export interface Published {
  readonly ref: PackageRef;
  readonly files: readonly PackageFile[];
  /** False if another request has fetched the same bytes in the meantime. */
  readonly isWritten: boolean;
}

/** A publication, and the indexes that it changed, as they were before. */
interface Stored extends Published {
  readonly changed: readonly { readonly ref: IndexRef; readonly head: IndexHead | undefined }[];
}

/**
 * Publishes files of a version, all of them or none. They are visible when this returns, in the repository and in every
 * virtual repository that lists it. Throws VERSION_EXISTS if the version exists (with `isOpen`: a file of it), or if a
 * deleted file of the same name had other bytes; VERSION_NOT_FOUND, with `isAddition`; QUOTA_EXCEEDED; REPOSITORY_NOT_FOUND. Files
 * that were fetched, or with `isReplacing`, replace those of the same names, and are never refused as existing. `read` may contain
 * the items of `publicationKeys`.
 */
export const storePublication = async (
  table: Table,
  publication: PackagePublication,
  read?: IdentityMap,
): Promise<Stored> => {
  const { repository, name, files } = publication;
  const { workspaceId } = repository;
  const ref = { contentId: contentIdOf(repository), name };
  const blobKeys = files.map(({ received }) => blobKey(workspaceId, received.hashes.sha256));
  const loaded = read ?? (await table.read([...publicationKeys(ref, publication), ...blobKeys]));
  let known = knownIn(loaded, ref, publication);
  try {
    refuseExisting(publication, known);
  } catch (error) {
    await bestEffort(restoreFiles(table, publication, known));
    throw error;
  }
  // Before anything is stored, because an entry may be too large.
  let packed = await packedEntries(table, ref, publication, known);
  await checkQuota(table, publication.quota, workspaceId, {
    bytes: sumBy(files, ({ received }) => received.size) + sumBy(packed, ({ addedBytes }) => addedBytes),
    packages: isPresent(known.head) || publication.loose ? 0 : 1,
    uploadId: publication.session?.uploadId,
  });
  const store = async (items: IdentityMap): Promise<PreparedBlob[]> =>
    Promise.all(
      files.map(async ({ received }) => {
        const blob = items.find(blobKey(workspaceId, received.hashes.sha256));
        return publication.origin.kind === 'fetched'
          ? prepareFetched(table, workspaceId, received, blob)
          : preparedBlob(await storeBlob(table, workspaceId, received, blob));
      }),
    );
  await publication.requireLooseFiles?.();
  const loose = publication.loose?.(publication);
  await loose?.prepare(table, known.head);
  let blobs = await store(loaded);
  let lost: Lost | undefined;
  const outcome = await untilSettled(table, async () => {
    if (lost) {
      known = await afterRefusal(table, publication, ref, lost);
      await publication.requireLooseFiles?.();
      packed = await packedEntries(table, ref, publication, known);
      if (isRefused(lost, 'blob')) blobs = await store(await table.read(blobKeys));
    }
    if (isReplacing(publication) && isThere(publication, known)) return { isWritten: false };
    const tagged = { ...publication, ...(await publication.tagRule?.(publication, known.head, table, ref)) };
    const planned = publicationWrites(tagged, ref, known, { blobs, entries: packed });
    const writes = planned.map(({ write }) => write);
    // A fetch is no change that its caller asked for, and files without a version only prepare one.
    const refusal = await writeToPackage(publication.displayName, () =>
      publication.origin.kind === 'fetched' || loose
        ? table.writeUnrecorded(writes)
        : table.write(writes, publicationChange(tagged, known)),
    );
    if (!refusal) return { isWritten: true };
    lost = { refusal, planned };
    return undefined;
  });
  const now = new Date().toISOString();
  const stored = files.map((file, index) => publishedFile(publication, file, (blobs[index] as PreparedBlob).ref, now));
  return {
    ref,
    files: stored,
    ...outcome,
    changed: packed.map(({ index, head }) => ({ ref: indexRef(ref, index), head })),
  };
};

/** What says which items a publication may find. */
type ListedPublication = Pick<PackagePublication, 'version' | 'indexes'> & {
  readonly files: readonly { readonly name: string }[];
};

const fileKeysOf = (ref: PackageRef, { version, files }: ListedPublication): Key<PackageFile>[] =>
  files.map((file) => fileKey(ref, version, file.name));

const otherSpellingKeysOf = (ref: PackageRef, { otherSpellings = [] }: PackagePublication): Key<PackageVersion>[] =>
  otherSpellings.map((version) => versionKey(ref, version));

const indexHeadKeysOf = (ref: PackageRef, { indexes = [] }: ListedPublication): Key<IndexHead>[] =>
  indexes.map(({ index }) => indexHeadKey(indexRef(ref, index)));

/** The keys of the items that a publication may find: of the package and its indexes, of the version and of its files. */
export const publicationKeys = (ref: PackageRef, publication: ListedPublication): Key[] => [
  packageHeadKey(ref),
  ...indexHeadKeysOf(ref, publication),
  versionKey(ref, publication.version),
  ...fileKeysOf(ref, publication),
];

const knownIn = (loaded: IdentityMap, ref: PackageRef, publication: PackagePublication): Known => ({
  head: loaded.find(packageHeadKey(ref)),
  indexes: indexHeadKeysOf(ref, publication).map((key) => loaded.find(key)),
  version: loaded.find(versionKey(ref, publication.version)),
  spelledOtherwise: otherSpellingKeysOf(ref, publication)
    .map((key) => loaded.find(key))
    .find((each) => each !== undefined),
  files: fileKeysOf(ref, publication).map((key) => loaded.find(key)),
});

/** The packed index entries that the publication writes. It leaves the other indexes as they are. */
const packedEntries = async (
  table: Table,
  ref: PackageRef,
  { version, indexes = [] }: PackagePublication,
  known: Known,
): Promise<readonly PackedEntry[]> => {
  const packed = indexes.map(async (listing, at) =>
    packedEntry(
      table,
      ref,
      { name: version, listing, known: known.version },
      { head: known.head, index: known.indexes[at] },
    ),
  );
  return (await Promise.all(packed)).filter((entry) => entry !== undefined);
};

/** Stores the files that exist again whose bytes the store has lost, if the publication has these bytes. */
const restoreFiles = async (table: Table, { files }: PackagePublication, known: Known): Promise<void> => {
  await Promise.all(
    files.map(async ({ received }, index) => {
      const file = known.files[index];
      if (isLive(file) && file.blob.sha256 === received.hashes.sha256) await restoreBlob(table, file.blob, received);
    }),
  );
};

const exists = ({ displayName, version }: PackagePublication, what = `${displayName} ${version}`): ApiError =>
  new ApiError(
    'VERSION_EXISTS',
    `${what} already exists, and what was published never changes. Publish the change under a new version.`,
  );

/** Whether another request has fetched the same bytes in the meantime. */
const isThere = ({ files }: PackagePublication, known: Known): boolean =>
  files.every(({ received }, index) => {
    const file = known.files[index];
    return isLive(file) && file.blob.sha256 === received.hashes.sha256;
  });

const refuseExisting = (publication: PackagePublication, { head, version, spelledOtherwise, files }: Known): void => {
  if (isReplacing(publication)) return;
  const { displayName, hasOneSpelling } = publication;
  if (hasOneSpelling && head && head.displayName !== displayName)
    throw new ApiError(
      'PACKAGE_INVALID',
      `'${displayName}' has the spelling '${head.displayName}' in this repository: publish it under that name.`,
    );
  if (!version && spelledOtherwise)
    throw new ApiError(
      'VERSION_EXISTS',
      `${displayName} ${publication.version} is the version ${spelledOtherwise.version}, which already exists. Publish files of it under that version, and changes under a new one.`,
    );
  if (isLive(version) && !publication.isOpen) throw exists(publication);
  if (!isLive(version) && publication.isAddition) throw new ApiError('VERSION_NOT_FOUND');
  for (const [index, file] of files.entries()) {
    const sent = publication.files[index];
    if (!file || !sent) continue;
    const what = `${file.file} of ${publication.displayName} ${publication.version}`;
    if (isLive(file)) throw exists(publication, what);
    if (file.blob.sha256 !== sent.received.hashes.sha256)
      throw new ApiError(
        'VERSION_EXISTS',
        `${what} already exists: it was deleted, and can be published again only with the same bytes.`,
      );
  }
};

/** A transaction that was refused. */
interface Lost {
  readonly refusal: Refusal;
  readonly planned: readonly PlannedWrite[];
}

/** Whether one of its conditions that failed concerns this. */
const isRefused = ({ refusal, planned }: Lost, step: PlannedWrite['step']): boolean =>
  planned.some((each, at) => each.step === step && refusal[at]);

/** Reads again after a refused transaction. Throws if the publication is now refused; otherwise it is tried again. */
const afterRefusal = async (
  table: Table,
  publication: PackagePublication,
  ref: PackageRef,
  lost: Lost,
): Promise<Known> => {
  if (isRefused(lost, 'repository')) {
    const position = lost.planned.findIndex(({ step }) => step === 'repository');
    throw goneError(publication.repository, lost.refusal, 'SERVICE_UNAVAILABLE', position);
  }
  if (isRefused(lost, 'key')) throw new ApiError('IDEMPOTENCY_KEY_REUSED');
  if (isRefused(lost, 'session')) throw new ApiError('UPLOAD_NOT_FOUND');
  // Its first read does without the other spellings: the transaction is refused if one is there.
  const loaded = await table.read([...publicationKeys(ref, publication), ...otherSpellingKeysOf(ref, publication)]);
  const known = knownIn(loaded, ref, publication);
  refuseExisting(publication, known);
  if (isRefused(lost, 'usage')) await publication.loose?.(publication).prepare(table, known.head, true);
  return known;
};
