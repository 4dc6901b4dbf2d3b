import { randomUUID } from 'node:crypto';
import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { checkQuota } from '../../shared/http/quota.ts';
import { checkAnnouncement } from '../../shared/packages/formats/package-format.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { uploadTargetOf } from '../../shared/packages/sources/upload-target.ts';
import { type StagedFile, stagedFiles } from '../../shared/packages/uploads/staged-files.ts';
import { MultipartUpload } from '../../shared/store/multipart.ts';
import { uploadKey } from '../../shared/table/keys.ts';
import { beginInSlot } from '../../shared/table/packages/open-uploads.ts';
import {
  isOpen,
  newUpload,
  ownerOfUpload,
  type UploadSession,
  uploadBegun,
} from '../../shared/table/packages/uploads.ts';
import { formatOf } from '../package-formats.ts';
import { createUpload } from './contracts.ts';
import { partSizesOf } from './part-sizes.ts';
import { announcedBytes, refuseTooLarge, wireFile, wireUpload } from './upload-session.ts';

/** Begins the upload of a file that is sent in parts. The lifecycle of the bucket removes it if the session is never completed. */
const withParts = async (file: StagedFile, partBytes: number | undefined, signal: AbortSignal): Promise<StagedFile> => {
  if (partBytes === undefined) return file;
  const { uploadId } = await MultipartUpload.begin(file.key, signal);
  return { ...file, parts: { uploadId, bytes: partBytes } };
};

/** The URLs are stored nowhere: each answer signs them anew. */
const sessionRecord = async (id: string, { expiresAt, files }: Pick<UploadSession, 'expiresAt' | 'files'>) =>
  wireUpload(id, expiresAt, await Promise.all(stagedFiles(id, files).map(async (file) => wireFile(file))));

export const handler = endpoint(
  createUpload,
  async ({ body, caller, workspace, repository, loaded, table, remember }) => {
    const { workspaceId, repositoryId, packageType } = repository;
    const wanted = {
      packageName: body.packageName ?? undefined,
      packageVersion: body.packageVersion ?? undefined,
      distribution: body.distribution ?? undefined,
      component: body.component ?? undefined,
    };
    const announced = body.files.map(({ name, sizeInBytes: size, sha256 }) => ({ name, size, sha256 }));
    uploadTargetOf(repository, loaded);
    const { format } = await formatOf(packageType);
    checkAnnouncement(format, { ...wanted, files: announced });
    refuseTooLarge(announced);
    const partSizes = partSizesOf(announced, body.partSizeInBytes ?? undefined);
    // The completion checks the quota again. This check spares the client an upload that would be refused.
    await checkQuota(table, workspace, workspaceId, { bytes: announcedBytes(announced), packages: 0 });
    const id = randomUUID();
    const staged = stagedFiles(id, announced);
    const sent = await Promise.all(staged.map((file, index) => withParts(file, partSizes[index], table.signal)));
    const files = sent.map(({ key: _key, ...file }) => file);
    const { actor } = caller;
    const session = newUpload({ actor, workspaceId, repositoryId, ...wanted, files });
    const opened = { uploadId: id, bytes: announcedBytes(announced), session: { actor, repositoryId } };
    const begun = await beginInSlot(table, ownerOfUpload(session), opened, (slot) => [
      uploadBegun(id, { ...session, slot }),
      ...remember(id),
    ]);
    if ('refusal' in begun) throw new ApiError('IDEMPOTENCY_KEY_REUSED');
    return sessionRecord(id, session);
  },
  {
    alsoRead: alsoReadSources,
    answerAgain: async ({ table }, id) => {
      const key = uploadKey(id);
      const session = (await table.read([key])).find(key);
      return session && isOpen(session) ? sessionRecord(id, session) : undefined;
    },
  },
);
