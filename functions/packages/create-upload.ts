import { randomUUID } from 'node:crypto';
import { endpoint } from '../../shared/http/endpoint.ts';
import { alsoReadSources } from '../../shared/packages/package-address.ts';
import { checkQuota } from '../../shared/packages/quota.ts';
import { uploadTargetOf } from '../../shared/packages/upload-target.ts';
import { uploadAddress } from '../../shared/store/uploads.ts';
import { uploadKey } from '../../shared/table/keys.ts';
import { beginUpload, isOpen, type UploadSession } from '../../shared/table/uploads.ts';
import { formatOf } from '../package-formats.ts';
import { createUpload } from './contracts.ts';
import { announcedBytes, refuseTooLarge, type StagedFile, stagedFiles } from './upload-session.ts';

const wireFile = async (file: StagedFile) => {
  const { url, header } = await uploadAddress(file);
  return { name: file.name, sizeInBytes: file.size, sha256: file.sha256, uploadUrl: url, uploadHeader: header };
};

/** The URLs are stored nowhere: each answer signs them anew. */
const sessionRecord = async (id: string, { expiresAt, files }: Pick<UploadSession, 'expiresAt' | 'files'>) => ({
  id,
  expiresAt: new Date(expiresAt * 1000).toISOString(),
  files: await Promise.all(stagedFiles(id, files).map(wireFile)),
});

export const handler = endpoint(
  createUpload,
  async ({ body, caller, workspace, repository, loaded, table, remember }) => {
    const { workspaceId, repositoryId, packageType } = repository;
    const packageName = body.packageName ?? undefined;
    const packageVersion = body.packageVersion ?? undefined;
    const files = body.files.map(({ name, sizeInBytes: size, sha256 }) => ({ name, size, sha256 }));
    uploadTargetOf(repository, loaded);
    formatOf(packageType).check({ packageName, packageVersion, files });
    refuseTooLarge(files);
    // The completion checks the quota again. This check spares the client an upload that would be refused.
    await checkQuota(table, workspace, workspaceId, { bytes: announcedBytes(files), packages: 0 });
    const id = randomUUID();
    const { userId } = caller.user;
    const session = { userId, workspaceId, repositoryId, packageName, packageVersion, files };
    const expiresAt = await beginUpload(table, id, session, remember);
    return sessionRecord(id, { expiresAt, files });
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
