import { endpoint } from '../../shared/http/endpoint.ts';
import { isInParts, type StagedFile, stagedFiles } from '../../shared/packages/staged-files.ts';
import { headObject } from '../../shared/store/objects.ts';
import { createUploadUrls } from './contracts.ts';
import { missingParts, sessionKeys, sessionOf, wireFile, wireUpload } from './upload-session.ts';

/** What a client still has to send of a file; nothing if it has arrived. */
const missingOf = async (file: StagedFile, signal: AbortSignal) => {
  if (isInParts(file)) {
    const missing = await missingParts(file, signal);
    return missing.length > 0 ? [await wireFile(file, missing)] : [];
  }
  const found = await headObject(file.key, signal);
  return found?.size === file.size && found.sha256 === file.sha256 ? [] : [await wireFile(file)];
};

export const handler = endpoint(
  createUploadUrls,
  async (call) => {
    const { uploadId, expiresAt, files, published } = sessionOf(call);
    const staged = published ? [] : stagedFiles(uploadId, files);
    const missing = await Promise.all(staged.map(async (file) => missingOf(file, call.table.signal)));
    return wireUpload(uploadId, expiresAt, missing.flat());
  },
  { alsoRead: ({ params }) => sessionKeys(params.upload) },
);
