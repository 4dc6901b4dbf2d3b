import type { BytesResult } from '../../shared/http/payloads.ts';
import { stateOfBlob } from '../../shared/packages/blobs/stored-bytes.ts';
import { addressedSources } from '../../shared/packages/sources/package-address.ts';
import { findFiles } from '../../shared/packages/sources/resolution.ts';
import { uploadTargetOf } from '../../shared/packages/sources/upload-target.ts';
import { fileInMemory } from '../../shared/store/received-file.ts';
import { blobAddress } from './addresses.ts';
import { imageUrl, storedAnswer } from './answers.ts';
import type { NewUploadCall } from './blob-uploads.ts';
import { storeImageBlob } from './blobs.ts';
import { hexOf } from './digests.ts';
import { readableRepository } from './readable-repository.ts';
import { docker } from './type.ts';
import { rulingOnBlob, unblocked } from './verdicts.ts';

/**
 * Takes a blob over from another image of the workspace, named as the client knows it; undefined if the caller may not read the
 * image, if it does not have the blob, a verdict blocks it there, or the store has lost it. The client then sends the bytes.
 * Through a virtual repository, the blob comes from the child that a pull would get it from. Upstreams are not asked.
 */
export const mounted = async (
  call: NewUploadCall & Parameters<typeof readableRepository>[0],
  image: string,
  digest: string,
  from: string,
): Promise<BytesResult | undefined> => {
  const target = uploadTargetOf(call.repository, call.loaded);
  const [workspace = '', repository = '', ...name] = from.split('/');
  const source = await readableRepository(call, workspace, repository);
  if (source?.repository.packageType !== 'docker') return undefined;
  const sourceImage = name.join('/');
  const { sources } = unblocked(addressedSources(source, docker), sourceImage, digest, (each) =>
    rulingOnBlob(each, sourceImage, digest),
  );
  const files = await findFiles(call.table, sources, blobAddress(sourceImage, digest), source.loaded);
  const found = files.find(({ file }) => file)?.file;
  if (!found || (await stateOfBlob(call.table, found.blob, found.size)) !== 'intact') return undefined;
  const stored = {
    ...fileInMemory(Buffer.alloc(0), { sha256: hexOf(digest) }),
    size: found.size,
    storedAs: found.blob.objectId,
  };
  await storeImageBlob(call, target, image, stored);
  return storedAnswer(`${imageUrl(call, image)}/blobs/${digest}`, digest);
};
