import { ApiError } from '../errors.ts';
import { log } from '../observability/log.ts';
import type { ReceivedFile } from '../store/receiving.ts';
import type { BlobRef } from '../table/blobs.ts';
import type { Table } from '../table/client.ts';
import { blobKey, fileKey, type PackageRef, packageHeadKey, repositoryKey, versionKey } from '../table/keys.ts';
import type { Origin } from '../table/packages.ts';
import { untilSettled } from '../table/races.ts';
import { contentIdOf, type Repository } from '../table/repositories.ts';
import type { UpstreamCopy } from '../table/upstream-copies.ts';
import { foundBy, type Refusal } from '../table/writes.ts';
import { storeBlob } from './blob-storage.ts';
import { compactIndex, needsCompaction } from './compaction.ts';
import { isFetched, type Known, type PlannedWrite, publicationWrites } from './publication-writes.ts';
import { checkQuota, type Quota } from './quota.ts';
import { checkParts } from './snapshot.ts';

/** A file to publish under a name of its version. */
export interface FileToPublish {
  readonly name: string;
  readonly mediaType: string;
  readonly received: ReceivedFile;
  /** Of a file that was fetched. */
  readonly copy?: UpstreamCopy;
}

/** What is to be published: files of one version of one package. */
export interface PackagePublication {
  /** Where it goes: a local repository, or a remote one for what was fetched. */
  readonly repository: Repository;
  readonly quota: Quota;
  /** The type's normalised name, by which the package is found. */
  readonly name: string;
  /** The name as it was sent. */
  readonly displayName: string;
  readonly version: string;
  readonly files: readonly FileToPublish[];
  /** The texts of the version's index entry, for types that have an index. */
  readonly parts?: readonly string[];
  /** What the type shows of the package beside its versions, as text. */
  readonly document?: string;
  /** Tags to move to this version. */
  readonly tags?: readonly string[];
  readonly origin: Origin;
  /** Files of a version may come one by one. */
  readonly isOpen?: boolean;
}

/** What became of a publication. */
export interface Published {
  readonly ref: PackageRef;
  readonly files: readonly { readonly file: string; readonly blob: BlobRef | undefined }[];
}

/**
 * Publishes files of a version, all or nothing: visible when this returns, in the repository and in every virtual one over it.
 * Throws VERSION_EXISTS when the version, or a file of it, is there with other bytes, and QUOTA_EXCEEDED. What was fetched is no
 * publication of anybody: it replaces what was fetched before.
 */
export const publish = async (table: Table, publication: PackagePublication): Promise<Published> => {
  const { repository, name, version, files, parts } = publication;
  const { workspaceId } = repository;
  if (parts) checkParts(parts);
  const ref = { contentId: contentIdOf(repository), name };
  const fileKeys = files.map((file) => fileKey(ref, version, file.name));
  const blobKeys = files.map(({ received }) => blobKey(workspaceId, received.hashes.sha256));
  const loaded = await table.read([packageHeadKey(ref), versionKey(ref, version), ...fileKeys, ...blobKeys]);
  let known: Known = {
    head: loaded.find(packageHeadKey(ref)),
    version: loaded.find(versionKey(ref, version)),
    files: fileKeys.map((key) => loaded.find(key)),
  };
  refuseExisting(publication, known);
  await checkQuota(table, publication.quota, workspaceId, {
    bytes: files.reduce((sum, { received }) => sum + received.size, 0),
    packages: known.head && known.head.versionCount > 0 ? 0 : 1,
  });
  const store = (again: boolean): Promise<BlobRef[]> =>
    Promise.all(
      files.map(({ received }) => {
        const blob = again ? undefined : loaded.find(blobKey(workspaceId, received.hashes.sha256));
        return storeBlob(table, workspaceId, received, blob);
      }),
    );
  let blobs = await store(false);
  await untilSettled(async () => {
    if (isFetched(publication) && isThere(publication, known)) return true;
    const planned = publicationWrites(publication, ref, known, blobs);
    const refusal = await table.write(planned.map(({ write }) => write));
    if (!refusal) return true;
    known = await afterRefusal(table, publication, ref, refusal, planned);
    blobs = await store(true);
    return undefined;
  });
  if (parts && needsCompaction(known.head)) await bestEffort(compactIndex(table, workspaceId, ref));
  return { ref, files: files.map((file, index) => ({ file: file.name, blob: blobs[index] })) };
};

/** A compaction is good to have: the next publish makes up for one that failed. */
const bestEffort = async (work: Promise<void>): Promise<void> => {
  try {
    await work;
  } catch (error) {
    log.bestEffortFailure(error);
  }
};

const exists = ({ displayName, version }: PackagePublication, what = `${displayName} ${version}`): ApiError =>
  new ApiError(
    'VERSION_EXISTS',
    `${what} already exists, and what was published never changes. Publish the change under a new version.`,
  );

/** Whether another one fetched the same bytes meanwhile. */
const isThere = ({ files }: PackagePublication, known: Known): boolean =>
  files.every(({ received }, index) => {
    const file = known.files[index];
    return file?.deletedAt === undefined && file?.blob.sha256 === received.hashes.sha256;
  });

const refuseExisting = (publication: PackagePublication, { version, files }: Known): void => {
  if (isFetched(publication)) return;
  if (version && !version.deletedAt && !publication.isOpen) throw exists(publication);
  for (const [index, file] of files.entries()) {
    const sent = publication.files[index];
    if (!file || !sent) continue;
    if (!file.deletedAt) throw exists(publication, `${file.file} of ${publication.displayName} ${publication.version}`);
    if (file.blob.sha256 !== sent.received.hashes.sha256)
      throw new ApiError(
        'VERSION_EXISTS',
        `${file.file} of ${publication.displayName} ${publication.version} was deleted; it already exists as other bytes, and can come back as the same bytes only.`,
      );
  }
};

/** What another request did meanwhile: either it decides, or the publication goes on from there. */
const afterRefusal = async (
  table: Table,
  publication: PackagePublication,
  ref: PackageRef,
  refusal: Refusal,
  planned: readonly PlannedWrite[],
): Promise<Known> => {
  const isRefused = (step: PlannedWrite['step']): boolean =>
    planned.some((each, at) => each.step === step && refusal[at]);
  if (isRefused('repository')) {
    const at = planned.findIndex(({ step }) => step === 'repository');
    const { workspaceId, repositoryId } = publication.repository;
    // Emptied meanwhile: what was published would lie where nobody finds it. The client's retry finds the new content.
    if (foundBy(repositoryKey(workspaceId, repositoryId), refusal, at)) throw new ApiError('SERVICE_UNAVAILABLE');
    throw new ApiError('REPOSITORY_NOT_FOUND');
  }
  const { version, files } = publication;
  const fileKeys = files.map((file) => fileKey(ref, version, file.name));
  const loaded = await table.read([packageHeadKey(ref), versionKey(ref, version), ...fileKeys]);
  const known = {
    head: loaded.find(packageHeadKey(ref)),
    version: loaded.find(versionKey(ref, version)),
    files: fileKeys.map((key) => loaded.find(key)),
  };
  refuseExisting(publication, known);
  return known;
};
