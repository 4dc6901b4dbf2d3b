import { config } from '../../shared/config.ts';
import { ApiError } from '../../shared/errors.ts';
import { invokeAsynchronously } from '../../shared/invocation.ts';
import { findStoredBlob } from '../../shared/packages/blobs/blob-storage.ts';
import { untilFound } from '../../shared/packages/fetch/polling.ts';
import { isInParts, type StagedFile } from '../../shared/packages/uploads/staged-files.ts';
import type { HandedOverRun } from '../../shared/packages/uploads/verification.ts';
import { type ReceivedFile, receiveUpload, stagedFile } from '../../shared/store/received-file.ts';
import type { Table } from '../../shared/table/client.ts';
import { uploadKey } from '../../shared/table/keys.ts';
import { beginRun, isVerifying, type UploadSession } from '../../shared/table/packages/uploads.ts';

/** How long a request waits for the verification. It then needs some seconds for the publication. */
const waitMilliseconds = 18_000;

/**
 * The files of a session, ready to be published. The bytes that were sent in parts are verified by a worker: throws
 * FILE_PENDING if that takes longer than the request, and PACKAGE_INVALID if a file is not what was announced.
 */
export const verifiedFiles = async (
  table: Table,
  uploadId: string,
  session: UploadSession,
  staged: readonly StagedFile[],
): Promise<readonly ReceivedFile[]> => {
  const ready = await readyFiles(table, session, staged);
  if (ready) return ready;
  const runId = await beginRun(table, uploadId, session);
  // Undefined if another request has begun a run, which this one then waits for.
  if (runId !== undefined) {
    const event: HandedOverRun = { uploadId, runId };
    await invokeAsynchronously(config.verifierFunction, event, table.signal);
  }
  const verified = await readyFiles(table, await afterRun(table, uploadId), staged);
  if (verified) return verified;
  throw pending();
};

const pending = (): ApiError =>
  new ApiError(
    'FILE_PENDING',
    'The bytes of this upload session are still being verified. Wait as long as the Retry-After header says, then complete it again.',
  );

/** The files, if all that were sent in parts are verified and stored. */
const readyFiles = async (
  table: Table,
  { workspaceId, verified = [], failure }: UploadSession,
  staged: readonly StagedFile[],
): Promise<readonly ReceivedFile[] | undefined> => {
  if (failure !== undefined) throw new ApiError('PACKAGE_INVALID', failure);
  const isVerified = staged.every((file, position) => !isInParts(file) || verified.includes(position));
  if (!isVerified) return undefined;
  const blobs = await Promise.all(
    staged.map(async (file) => (isInParts(file) ? findStoredBlob(table, workspaceId, file.sha256) : undefined)),
  );
  // Bytes that were verified more than a day ago may be gone. The next run stores them again.
  if (staged.some((file, position) => isInParts(file) && blobs[position] === undefined)) return undefined;
  return Promise.all(
    staged.map(async (file, position) => {
      const storedAs = blobs[position];
      const { key, size, sha256 } = file;
      if (storedAs === undefined) return receiveUpload({ key, size, hashes: { sha256 } }, table.signal);
      return { ...stagedFile(key, size, { sha256 }, table.signal), storedAs };
    }),
  );
};

/** Waits until the run is over and returns the session as it then is. Throws FILE_PENDING if that takes too long. */
const afterRun = async (table: Table, uploadId: string): Promise<UploadSession> => {
  const key = uploadKey(uploadId);
  const deadline = AbortSignal.any([AbortSignal.timeout(waitMilliseconds), table.signal]);
  const look = async (): Promise<UploadSession | undefined> => {
    const session = (await table.read([key])).find(key);
    if (!session) throw new ApiError('UPLOAD_NOT_FOUND');
    return isVerifying(session) ? undefined : session;
  };
  return untilFound(look, deadline, pending());
};
