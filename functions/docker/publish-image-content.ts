import { buffer } from 'node:stream/consumers';
import { ApiError } from '../../shared/errors.ts';
import type { Call } from '../../shared/http/call.ts';
import type { UploadDestination } from '../../shared/http/door-headers.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import type { BytesResult } from '../../shared/http/payloads.ts';
import { placedFile, placeOfBlob } from '../../shared/packages/blobs/blob-storage.ts';
import { refusing } from '../../shared/packages/formats/format-refusals.ts';
import { alsoReadSources, requireType } from '../../shared/packages/sources/package-address.ts';
import { uploadTargetOf } from '../../shared/packages/sources/upload-target.ts';
import { isStaged } from '../../shared/store/keys.ts';
import { type ReceivedFile, receiveBody } from '../../shared/store/received-file.ts';
import { Table } from '../../shared/table/client.ts';
import { blobUploadEnded } from '../../shared/table/packages/blob-uploads.ts';
import { requestBudgetMilliseconds } from '../../shared/table/reading-table.ts';
import { imageUrl, storedAnswer } from './answers.ts';
import { findCurrentUpload } from './blob-uploads.ts';
import { storeImageBlob } from './blobs.ts';
import { checkRange } from './content-range.ts';
import { publishImageContent } from './contracts.ts';
import { digestOfBytes } from './digest-of-bytes.ts';
import { checkDigest, hexOf } from './digests.ts';
import { fetchContent } from './fetched-content.ts';
import { readManifest, requireManifestSize } from './manifest.ts';
import { publishManifest } from './manifests.ts';
import { type ImagePath, parsePath, requireDigest } from './paths.ts';
import { invalidDigest } from './refusals.ts';
import { docker } from './type.ts';
import { appended, keysOf, received, removeObjects } from './uploaded-bytes.ts';

type PublishCall = Call<typeof publishImageContent>;

/** Ends an upload: its bytes, and those of this request behind them, become a blob of the image. */
const completeUpload = async (
  call: PublishCall,
  { image, uploadId }: Extract<ImagePath, { kind: 'upload' }>,
): Promise<BytesResult> => {
  const digest = requireDigest(call.query.digest ?? '');
  const found = await findCurrentUpload(call, image, uploadId);
  const { upload, target } = found;
  const { signal } = call.table;
  checkRange(call, found, call.body.length);
  const whole = upload.size === 0 || call.body.length === 0 ? upload : await appended(upload, call.body, signal);
  const file = upload.size === 0 ? await receivedAlone(call, signal) : await received(whole, signal);
  checkDigest(file.hashes.sha256, digest);
  await storeImageBlob(call, target, image, file, { uploadId, ends: blobUploadEnded(uploadId, upload) });
  if (upload.size > 0) await removeObjects([...keysOf(whole), file.stagingKey], signal);
  return storedAnswer(`${imageUrl(call, image)}/blobs/${digest}`, digest);
};

/** The bytes of a request that are the whole blob: the door may have put them where blobs are. */
const receivedAlone = async ({ body }: PublishCall, signal: AbortSignal): Promise<ReceivedFile> =>
  body.staged && !isStaged(body.staged.key) ? placedFile(body.staged, signal) : receiveBody(body, signal);

/** Where the bytes of a blob belong that comes in one request. */
const destination = async (call: PublishCall, size: number): Promise<UploadDestination | undefined> => {
  requireType(call.repository, docker);
  const path = parsePath(call.params.path);
  if (path.kind !== 'upload') return undefined;
  const sha256 = hexOf(requireDigest(call.query.digest ?? ''));
  const found = await findCurrentUpload(call, path.image, path.uploadId);
  checkRange(call, found, size);
  const { upload, target } = found;
  return upload.size === 0 ? placeOfBlob(call.table, target.workspaceId, { sha256, size }) : undefined;
};

const pushManifest = async (
  call: PublishCall,
  { image, reference }: Extract<ImagePath, { kind: 'manifest' }>,
): Promise<BytesResult> => {
  const target = uploadTargetOf(call.repository, call.loaded);
  requireManifestSize(call.body.length);
  const bytes = await buffer(call.body.stream());
  const manifest = refusing(() => readManifest(bytes, call.body.mediaType));
  const digest = digestOfBytes(bytes);
  if ('digest' in reference && reference.digest !== digest)
    throw invalidDigest(`The manifest has the digest ${digest}, not ${reference.digest}.`);
  const tags = 'tag' in reference ? [reference.tag] : [];
  const hasAsked = await fetchContent(call, target, { image, digest, manifest });
  // Whoever waited for an upstream has used up the time of the request.
  const inTime = hasAsked ? { ...call, table: new Table(requestBudgetMilliseconds, call.table) } : call;
  await publishManifest(inTime, target, { image, digest, bytes, manifest, tags });
  const { about } = manifest;
  const location = `${imageUrl(call, image)}/manifests/${digest}`;
  return storedAnswer(location, digest, about === undefined ? {} : { 'OCI-Subject': about });
};

export const handler = endpoint(
  publishImageContent,
  async (call) => {
    requireType(call.repository, docker);
    const path = parsePath(call.params.path);
    if (path.kind === 'upload') return completeUpload(call, path);
    if (path.kind === 'manifest') return pushManifest(call, path);
    throw new ApiError('PACKAGE_INVALID', 'Only manifests and blob uploads can be sent with PUT.');
  },
  { alsoRead: alsoReadSources, destination },
);
