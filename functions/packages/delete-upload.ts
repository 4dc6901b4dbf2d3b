import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { bestEffort } from '../../shared/observability/best-effort.ts';
import { isInParts, type StagedFile, stagedFiles } from '../../shared/packages/uploads/staged-files.ts';
import { MultipartUpload } from '../../shared/store/multipart.ts';
import { deleteObject } from '../../shared/store/objects.ts';
import { uploadKey } from '../../shared/table/keys.ts';
import { endUpload } from '../../shared/table/packages/uploads.ts';
import { idOf } from '../../shared/table/references.ts';
import { deleteUpload } from './contracts.ts';
import { seenSessions } from './seen-sessions.ts';
import { sessionKeys } from './upload-session.ts';

const notFound = (): ApiError =>
  new ApiError(
    'UPLOAD_NOT_FOUND',
    'No upload session of this ID counts towards the storage limit of this workspace, or it is not yours.',
  );

/** Removes what has arrived of a file: the object, and parts that no verification has made an object of. */
const removeStaged = async (file: StagedFile, signal: AbortSignal): Promise<void> => {
  await deleteObject(file.key, signal);
  if (isInParts(file)) await new MultipartUpload(file.key, file.parts.uploadId, signal).abort();
};

export const handler = endpoint(
  deleteUpload,
  async (call) => {
    const { params, loaded, table } = call;
    const uploadId = idOf(params.upload);
    const open = (await seenSessions(call)).find(({ item }) => item.uploadId === uploadId)?.item;
    if (!open || !(await endUpload(table, open))) throw notFound();
    // Of an older session, the table may have forgotten the files: the lifecycle of the bucket removes what this leaves.
    const files = loaded.find(uploadKey(open.uploadId))?.files ?? [];
    const removed = stagedFiles(open.uploadId, files).map(async (file) => removeStaged(file, table.signal));
    await bestEffort(Promise.all(removed));
    return { id: open.uploadId, status: 'deleted' } as const;
  },
  { alsoRead: ({ params }) => sessionKeys(params.upload) },
);
