import { ApiError, invalid } from '../../shared/errors.ts';
import type { Caller } from '../../shared/http/authorization.ts';
import { stagingObjectKey } from '../../shared/store/keys.ts';
import { headObject } from '../../shared/store/objects.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import { type Key, uploadKey } from '../../shared/table/keys.ts';
import { idOf } from '../../shared/table/references.ts';
import type { Repository } from '../../shared/table/repositories.ts';
import { type AnnouncedFile, isOpen, type UploadSession } from '../../shared/table/uploads.ts';
import { uploadBytesMax } from './upload-schemas.ts';

/** The keys that the first read must bring to find the session in the path; none if the text is not an ID. */
export const sessionKeys = (upload: string): readonly Key<UploadSession>[] => {
  const id = idOf(upload);
  return id === undefined ? [] : [uploadKey(id)];
};

/** The session in the path. It must be the caller's own, in the repository of the path, and not too old. */
export const sessionOf = ({
  params,
  caller,
  repository,
  loaded,
}: {
  readonly params: { readonly upload: string };
  readonly caller: Caller;
  readonly repository: Repository;
  readonly loaded: IdentityMap;
}): UploadSession & { readonly uploadId: string } => {
  const uploadId = idOf(params.upload);
  const session = uploadId === undefined ? undefined : loaded.find(uploadKey(uploadId));
  const isOwn = session?.userId === caller.user.userId && session.repositoryId === repository.repositoryId;
  if (uploadId === undefined || !session || !isOwn || !isOpen(session)) throw new ApiError('UPLOAD_NOT_FOUND');
  return { ...session, uploadId };
};

/** The size of all files of a session. */
export const announcedBytes = (files: readonly AnnouncedFile[]): number =>
  files.reduce((sum, { size }) => sum + size, 0);

/** Refuses a session whose files together are too large. */
export const refuseTooLarge = (files: readonly AnnouncedFile[]): void => {
  if (announcedBytes(files) <= uploadBytesMax) return;
  const message = `The files of a session must have at most ${uploadBytesMax} bytes together.`;
  throw invalid([{ pointer: '/files', rule: 'maximum', message }]);
};

/** A file of a session, and its key in the staging area. */
export interface StagedFile extends AnnouncedFile {
  readonly key: string;
}

/** The files of a session in the staging area. */
export const stagedFiles = (uploadId: string, files: readonly AnnouncedFile[]): readonly StagedFile[] =>
  files.map((file, index) => ({ ...file, key: stagingObjectKey(`${uploadId}-${index}`) }));

/** Refuses a file that did not arrive as it was announced. */
export const demandArrival = async ({ name, key, size, sha256 }: StagedFile, signal: AbortSignal): Promise<void> => {
  const found = await headObject(key, signal);
  if (!found)
    throw new ApiError('UPLOAD_INCOMPLETE', `'${name}' has not arrived: send it with PUT to its uploadUrl first.`);
  if (found.size !== size)
    throw new ApiError(
      'UPLOAD_INCOMPLETE',
      `'${name}' arrived with ${found.size} bytes instead of the announced ${size}: send the right file again.`,
    );
  if (found.sha256 !== sha256)
    throw new ApiError(
      'UPLOAD_INCOMPLETE',
      `'${name}' arrived without the announced SHA-256: send the right file again, with its uploadHeader.`,
    );
};
