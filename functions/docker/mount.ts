import type { BytesResult } from '../../shared/http/payloads.ts';
import { addressedSources } from '../../shared/packages/sources/package-address.ts';
import { uploadTargetOf } from '../../shared/packages/sources/upload-target.ts';
import { imageUrl, storedAnswer } from './answers.ts';
import type { NewUploadCall } from './blob-uploads.ts';
import { readableRepository } from './readable-repository.ts';
import { keptBlob, takeBlob } from './taken-over.ts';
import { docker } from './type.ts';

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
  const sourceImage = { sources: addressedSources(source, docker), loaded: source.loaded, image: name.join('/') };
  const found = await keptBlob(call.table, sourceImage, digest);
  if (!found) return undefined;
  await takeBlob(call, target, image, found);
  return storedAnswer(`${imageUrl(call, image)}/blobs/${digest}`, digest);
};
