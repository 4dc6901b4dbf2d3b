import { endpoint } from '../../shared/http/endpoint.ts';
import { checkQuota } from '../../shared/http/quota.ts';
import { alsoReadSources, requireType } from '../../shared/packages/sources/package-address.ts';
import { continueBlobUpload } from '../../shared/table/packages/blob-uploads.ts';
import { findCurrentUpload, findUpload, outOfOrder, progressAnswer } from './blob-uploads.ts';
import { checkRange } from './content-range.ts';
import { updateBlobUpload } from './contracts.ts';
import { requireKind } from './paths.ts';
import { docker } from './type.ts';
import { appended, keysOf, removeObjects } from './uploaded-bytes.ts';

export const handler = endpoint(
  updateBlobUpload,
  async (call) => {
    requireType(call.repository, docker);
    const { image, uploadId } = requireKind(call.params.path, 'upload');
    const { location, upload } = await findCurrentUpload(call, image, uploadId);
    checkRange(call, { location, upload }, call.body.length);
    if (call.body.length === 0) return progressAnswer(call, 202, { location, upload });
    const { table, workspace } = call;
    await checkQuota(table, workspace, workspace.workspaceId, { bytes: call.body.length, packages: 0 });
    const progress = await appended(upload, call.body, table.signal);
    const next = await continueBlobUpload(table, uploadId, upload, progress);
    // Small pieces were merged into a new one; or another request has continued or ended the upload, and nothing refers to the new one.
    const needed = new Set(keysOf(next ?? upload));
    const unneeded = keysOf(next ? upload : progress).filter((key) => !needed.has(key));
    await removeObjects(unneeded, table.signal);
    if (!next) throw outOfOrder(call, await findUpload(call, image, uploadId));
    return progressAnswer(call, 202, { location, upload: next });
  },
  { alsoRead: alsoReadSources },
);
