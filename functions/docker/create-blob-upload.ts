import type { Call } from '../../shared/http/call.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import type { BytesResult } from '../../shared/http/payloads.ts';
import { alsoReadSources, requireType } from '../../shared/packages/sources/package-address.ts';
import { uploadTargetOf } from '../../shared/packages/sources/upload-target.ts';
import { receiveBody } from '../../shared/store/received-file.ts';
import { imageUrl, storedAnswer } from './answers.ts';
import { beginUpload } from './blob-uploads.ts';
import { storeImageBlob } from './blobs.ts';
import { createBlobUpload } from './contracts.ts';
import { checkDigest } from './digests.ts';
import { mounted } from './mount.ts';
import { isImageName, requireDigest, requireKind } from './paths.ts';
import { invalidDigest } from './refusals.ts';
import { docker } from './type.ts';

type BeginCall = Call<typeof createBlobUpload>;

/** Stores the blob that the request itself contains. */
const storeBody = async (call: BeginCall, image: string, digest: string): Promise<BytesResult> => {
  const target = uploadTargetOf(call.repository, call.loaded);
  const received = await receiveBody(call.body, call.table.signal);
  checkDigest(received.hashes.sha256, digest);
  await storeImageBlob(call, target, image, received);
  return storedAnswer(`${imageUrl(call, image)}/blobs/${digest}`, digest);
};

export const handler = endpoint(
  createBlobUpload,
  async (call) => {
    requireType(call.repository, docker);
    const { image } = requireKind(call.params.path, 'uploads');
    const { digest, mount, from, 'digest-algorithm': algorithm = 'sha256' } = call.query;
    if (algorithm !== 'sha256') throw invalidDigest();
    if (digest !== undefined) return storeBody(call, image, requireDigest(digest));
    const source = mount !== undefined && from !== undefined && isImageName(from) ? from : undefined;
    const answer = source === undefined ? undefined : await mounted(call, image, requireDigest(mount ?? ''), source);
    return answer ?? beginUpload(call, image);
  },
  { alsoRead: alsoReadSources },
);
