import { ApiError } from '../../shared/errors.ts';
import { restoreBlob } from '../../shared/packages/blobs/blob-storage.ts';
import { fileMediaType, type PackagePublication } from '../../shared/packages/changes/publication.ts';
import { type PublishCall, publishTo } from '../../shared/packages/changes/publish-to.ts';
import { useLooseFile } from '../../shared/packages/loose-files/loose-files.ts';
import { looseFiles } from '../../shared/packages/loose-files/loose-preparation.ts';
import type { ReceivedFile } from '../../shared/store/received-file.ts';
import type { Table } from '../../shared/table/client.ts';
import { fileKey } from '../../shared/table/packages/package-keys.ts';
import { isLive, noVersion, type PackageFile } from '../../shared/table/packages/packages.ts';
import { contentIdOf, type LocalRepository } from '../../shared/table/repositories/repositories.ts';
import { digestOf } from './digests.ts';
import { docker } from './type.ts';

/** The blob of an image; undefined if the image does not have it, whatever else the workspace has. */
export const findBlob = async (
  table: Table,
  contentId: string,
  image: string,
  digest: string,
): Promise<PackageFile | undefined> => {
  const key = fileKey({ contentId, name: image }, noVersion, digest);
  const file = (await table.read([key])).find(key);
  return isLive(file) ? file : undefined;
};

/** Stores bytes as a blob of an image, unless the image has it, and ends the upload. A blob that is there stays for another day. */
export const storeImageBlob = async (
  call: PublishCall,
  target: LocalRepository,
  image: string,
  received: ReceivedFile,
  session?: NonNullable<PackagePublication['session']>,
): Promise<void> => {
  const { table } = call;
  const digest = digestOf(received.hashes.sha256);
  const contentId = contentIdOf(target);
  const known = await findBlob(table, contentId, image, digest);
  if (known) await restoreBlob(table, known.blob, received);
  if (known && (await useLooseFile(table, { contentId, name: image }, known, session?.ends))) return;
  try {
    await publishTo(call, docker, target, {
      name: image,
      displayName: image,
      version: noVersion,
      files: [{ name: digest, mediaType: fileMediaType, received }],
      isOpen: true,
      loose: looseFiles,
      ...(session && { session }),
    });
  } catch (error) {
    // Another request stored the same bytes at this moment.
    if (!(error instanceof ApiError && error.code === 'VERSION_EXISTS')) throw error;
    if (session) await table.writeUnrecorded(session.ends);
  }
};
