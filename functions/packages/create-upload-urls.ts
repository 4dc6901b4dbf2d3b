import { endpoint } from '../../shared/http/endpoint.ts';
import { stagedFiles } from '../../shared/packages/uploads/staged-files.ts';
import { createUploadUrls } from './contracts.ts';
import { missingOf, sessionKeys, sessionOf, wireUpload } from './upload-session.ts';

export const handler = endpoint(
  createUploadUrls,
  async (call) => {
    const { uploadId, expiresAt, files, published } = sessionOf(call);
    const staged = published ? [] : stagedFiles(uploadId, files);
    const missing = await Promise.all(staged.map(async (file) => missingOf(file, call.table.signal)));
    return wireUpload(
      uploadId,
      expiresAt,
      missing.filter((file) => file !== undefined),
    );
  },
  { alsoRead: ({ params }) => sessionKeys(params.upload) },
);
