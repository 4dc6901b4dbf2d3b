import { reaches } from '../../shared/access.ts';
import { ApiError } from '../../shared/errors.ts';
import type { Caller } from '../../shared/http/caller.ts';
import { fileMediaType } from '../../shared/packages/changes/publication.ts';
import { type PublishCall, publishTo } from '../../shared/packages/changes/publish-to.ts';
import { loadIndex } from '../../shared/packages/index/package-index.ts';
import type { ReceivedFile } from '../../shared/store/received-file.ts';
import type { Table } from '../../shared/table/client.ts';
import { fileKey } from '../../shared/table/packages/package-keys.ts';
import { isLive } from '../../shared/table/packages/packages.ts';
import { contentIdOf, type LocalRepository } from '../../shared/table/repositories/repositories.ts';
import {
  type AddedFile,
  completeRevision,
  newRevision,
  partsOf,
  type RevisionEntry,
  revisionIn,
  withFile,
} from './index-entries.ts';
import { type ConanReference, recipeText, versionOf } from './references.ts';
import { conan } from './type.ts';

/** A file that a client sends of a revision. */
interface SentFile {
  readonly reference: ConanReference;
  readonly added: AddedFile;
  readonly received: ReceivedFile;
}

type Call = PublishCall & { readonly caller: Caller };

const isRevisionComplete = async (
  table: Table,
  target: LocalRepository,
  reference: ConanReference,
): Promise<boolean> => {
  const index = await loadIndex(table, { contentId: contentIdOf(target), name: reference.name });
  return index !== undefined && completeRevision(index.entries, reference) !== undefined;
};

/** Requires that the recipe of a binary is there. Throws VERSION_NOT_FOUND. */
export const requireRecipe = async (
  table: Table,
  target: LocalRepository,
  reference: ConanReference,
): Promise<void> => {
  const { packageId, packageRevision: _, ...recipe } = reference;
  if (packageId === undefined || (await isRevisionComplete(table, target, recipe))) return;
  throw new ApiError(
    'VERSION_NOT_FOUND',
    `The revision ${recipe.recipeRevision} of ${recipeText(recipe)} is not in this repository, or its upload was broken off: upload the recipe before its binaries.`,
  );
};

/** Conan prints the text of a 403 and stops. After a 409 it goes on with the next file. */
const existing = ({ reference, added }: SentFile): ApiError =>
  new ApiError(
    'FORBIDDEN',
    `${added.file} of ${reference.name}/${versionOf(reference)} was published with other bytes, and what was published never changes: upload a new revision, or ask somebody with canManage to replace the file.`,
  );

/** The folder of what clients keep about a revision beside its files, and may send later. */
const metadataFolder = 'metadata/';

const isLate = ({ completedAt, files }: RevisionEntry, file: string): boolean =>
  completedAt !== undefined && !files.includes(file) && !file.startsWith(metadataFolder);

const late = ({ reference, added }: SentFile): ApiError =>
  new ApiError(
    'FORBIDDEN',
    `${reference.name}/${versionOf(reference)} is complete without ${added.file}, and a published revision gets no more files but those in ${metadataFolder}: upload a new revision, or ask somebody with canManage to add the file.`,
  );

const mayReplace = ({ caller }: Call): boolean => reaches(caller.level, 'canManage');

/**
 * Publishes a file. With `isReplacing`, it takes the place of one that is there. Without canManage, a revision that is complete stays as
 * it is, but for files in `metadata/`.
 */
const publishFile = async (
  call: Call,
  target: LocalRepository,
  sent: SentFile,
  isReplacing: boolean,
): Promise<void> => {
  const { reference, added, received } = sent;
  const isPackage = reference.packageId !== undefined;
  await publishTo(call, conan, target, {
    name: reference.name,
    displayName: reference.name,
    version: versionOf(reference),
    files: [{ name: added.file, mediaType: fileMediaType, received }],
    isReplacing,
    parts: partsOf(withFile(newRevision, added, isPackage)),
    addedParts: (parts) => {
      const before = revisionIn(parts);
      // Another request may have completed it since this one looked.
      if (isReplacing && before.completedAt !== undefined && !mayReplace(call)) throw existing(sent);
      if (isLate(before, added.file) && !mayReplace(call)) throw late(sent);
      return partsOf(withFile(before, added, isPackage));
    },
  });
};

/** What is to be done with a file of a name that was published: nothing if it has the same bytes. Throws FORBIDDEN. */
const resolveExisting = async (call: Call, target: LocalRepository, sent: SentFile): Promise<'same' | 'replaced'> => {
  const { reference, added, received } = sent;
  const ref = { contentId: contentIdOf(target), name: reference.name };
  const key = fileKey(ref, versionOf(reference), added.file);
  const file = (await call.table.read([key])).find(key);
  if (isLive(file) && file.blob.sha256 === received.hashes.sha256) return 'same';
  if (!mayReplace(call) && !(isLive(file) && !(await isRevisionComplete(call.table, target, reference))))
    throw existing(sent);
  await publishFile(call, target, sent, true);
  return 'replaced';
};

/**
 * Publishes a file of a revision, which clients are shown with the last file that it needs. Whoever repeats an upload that was broken off
 * may send other bytes. Throws FORBIDDEN, and as `publishTo`.
 */
export const publishRevisionFile = async (
  call: Call,
  target: LocalRepository,
  sent: SentFile,
): Promise<'published' | 'same' | 'replaced'> => {
  try {
    await publishFile(call, target, sent, false);
    return 'published';
  } catch (error) {
    if (error instanceof ApiError && error.code === 'VERSION_EXISTS') return resolveExisting(call, target, sent);
    throw error;
  }
};
