import { ApiError } from '../../shared/errors.ts';
import { requireLevel } from '../../shared/http/authorization.ts';
import type { Call } from '../../shared/http/call.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { deleteVersion } from '../../shared/packages/changes/deletion.ts';
import { packageChange } from '../../shared/packages/changes/package-changes.ts';
import { changeInTarget } from '../../shared/packages/changes/target-changes.ts';
import { entriesOf, readIndex } from '../../shared/packages/index/package-index.ts';
import { looseFileRemoved, neededBy } from '../../shared/packages/loose-files/loose-files.ts';
import { alsoReadSources, requireType } from '../../shared/packages/sources/package-address.ts';
import { deletionTargetOf } from '../../shared/packages/sources/upload-target.ts';
import { endBlobUpload } from '../../shared/table/packages/blob-uploads.ts';
import { looseRemovalNoted } from '../../shared/table/packages/head-writes.ts';
import { untilSettled } from '../../shared/table/races.ts';
import { contentIdOf } from '../../shared/table/repositories/repositories.ts';
import { emptyAnswer } from './answers.ts';
import { findUpload } from './blob-uploads.ts';
import { findBlob } from './blobs.ts';
import { deleteImageContent } from './contracts.ts';
import { type ImageReference, parsePath } from './paths.ts';
import { neededBlob } from './refusals.ts';
import { removeTag, removeTagsOf } from './tags.ts';
import { docker } from './type.ts';
import { keysOf, removeObjects } from './uploaded-bytes.ts';

type DeleteCall = Call<typeof deleteImageContent>;

/** Deletes a tag, or a manifest with the tags that lead to it. */
const deleteManifest = async (call: DeleteCall, image: string, reference: ImageReference): Promise<void> => {
  const { table } = call;
  const target = deletionTargetOf(call.repository, call.loaded);
  const ref = { contentId: contentIdOf(target), name: image };
  if ('tag' in reference) {
    const { tag } = reference;
    await changeInTarget(call, { target, name: image }, async () => removeTag(table, target, ref, tag));
    return;
  }
  const { digest } = reference;
  await changeInTarget(call, { target, name: image, version: digest }, async () =>
    deleteVersion(table, target, image, digest),
  );
  await removeTagsOf(table, target, ref, digest);
};

/** Deletes a blob that no manifest of the image names. */
const deleteBlob = async (call: DeleteCall, image: string, digest: string): Promise<void> => {
  const { table } = call;
  const target = deletionTargetOf(call.repository, call.loaded);
  const ref = { contentId: contentIdOf(target), name: image };
  await untilSettled(table, async () => {
    const file = await findBlob(table, ref.contentId, image, digest);
    const index = await readIndex(table, ref);
    if (!file || !index) throw new ApiError('FILE_NOT_FOUND');
    const entries = await entriesOf(table, index);
    if ([...entries.values()].some((entry) => neededBy(entry).includes(digest))) throw neededBlob();
    const before = { files: [{ name: digest, size: file.size, sha256: file.blob.sha256 }] };
    const refusal = await table.write(
      [...looseFileRemoved(target, ref, file), looseRemovalNoted(ref, index.head)],
      packageChange('package.deleted', target, image, before, null),
    );
    return !refusal || undefined;
  });
};

export const handler = endpoint(
  deleteImageContent,
  async (call) => {
    requireType(call.repository, docker);
    const path = parsePath(call.params.path);
    if (path.kind === 'upload') {
      const { location, upload } = await findUpload(call, path.image, path.uploadId);
      await endBlobUpload(call.table, location.uploadId, upload);
      await removeObjects(keysOf(upload), call.table.signal);
      return emptyAnswer(204);
    }
    requireLevel(call, 'repository-manager', 'delete images, tags and blobs');
    if (path.kind === 'manifest') await deleteManifest(call, path.image, path.reference);
    else if (path.kind === 'blob') await deleteBlob(call, path.image, path.digest);
    else throw new ApiError('PACKAGE_INVALID', 'Only manifests, tags, blobs and blob uploads can be deleted.');
    return emptyAnswer(202);
  },
  { alsoRead: alsoReadSources },
);
