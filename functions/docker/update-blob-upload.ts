import { endpoint } from '../../shared/http/endpoint.ts';
import { alsoReadSources, demandType } from '../../shared/packages/package-address.ts';
import { continueBlobUpload } from '../../shared/table/blob-uploads.ts';
import { findCurrentUpload, findUpload, outOfOrder, progressAnswer } from './blob-uploads.ts';
import { checkRange } from './content-range.ts';
import { updateBlobUpload } from './contracts.ts';
import { demandKind } from './paths.ts';
import { appended } from './uploaded-bytes.ts';

export const handler = endpoint(
  updateBlobUpload,
  async (call) => {
    demandType(call.repository, 'docker');
    const { image, uploadId } = demandKind(call.params.path, 'upload');
    const { place, upload } = await findCurrentUpload(call, image, uploadId);
    checkRange(call, { place, upload }, call.body.length);
    if (call.body.length === 0) return progressAnswer(call, 202, { place, upload });
    const progress = await appended(upload, call.body, call.table.signal);
    const next = await continueBlobUpload(call.table, uploadId, upload, progress);
    // Another request has continued or ended the upload. What this one stored, nothing refers to.
    if (!next) throw outOfOrder(call, await findUpload(call, image, uploadId));
    return progressAnswer(call, 202, { place, upload: next });
  },
  { alsoRead: alsoReadSources },
);
