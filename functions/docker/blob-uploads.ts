import { randomUUID } from 'node:crypto';
import { ApiError } from '../../shared/errors.ts';
import type { Caller } from '../../shared/http/caller.ts';
import type { BytesResult } from '../../shared/http/payloads.ts';
import { checkQuota } from '../../shared/http/quota.ts';
import { uploadTargetOf } from '../../shared/packages/sources/upload-target.ts';
import type { Table } from '../../shared/table/client.ts';
import type { Workspace } from '../../shared/table/identity/workspaces.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import { blobUploadKey } from '../../shared/table/keys.ts';
import {
  type BlobUpload,
  blobUploadBegun,
  isOngoing,
  newBlobUpload,
  ownerOfBlobUpload,
} from '../../shared/table/packages/blob-uploads.ts';
import { beginInSlot } from '../../shared/table/packages/open-uploads.ts';
import { contentIdOf, type LocalRepository, type Repository } from '../../shared/table/repositories/repositories.ts';
import { emptyAnswer, type ImageCall, imageUrl } from './answers.ts';
import { stateOf, type UploadLocation, versionIn } from './upload-location.ts';
import { nothing } from './uploaded-bytes.ts';

/** The parts of a request that an upload needs. */
interface UploadCall extends ImageCall {
  readonly caller: Pick<Caller, 'actor' | 'cursorSecret'>;
  readonly repository: Repository;
  readonly loaded: IdentityMap;
  readonly table: Table;
}

/** A request that may begin one: the workspace has room for it, or has not. */
export interface NewUploadCall extends UploadCall {
  readonly workspace: Workspace;
}

/** A request at the address of an upload. */
interface AddressedUpload extends UploadCall {
  readonly query: { readonly state?: string | undefined };
}

/** An upload that a request continues. */
export interface OngoingUpload {
  readonly location: UploadLocation;
  readonly upload: BlobUpload;
  readonly target: LocalRepository;
  /** Whether the address is that of the last answer, and not of one before. */
  readonly isCurrent: boolean;
}

/** How far an upload has come. */
export type Progressed = Pick<OngoingUpload, 'location' | 'upload'>;
export type AnsweredCall = Pick<UploadCall, 'params' | 'baseUrl' | 'caller'>;

/** The minimum size of a chunk that clients should send. Smaller ones work, and cost more requests. */
const chunkBytesMin = 5 * 1024 * 1024;

/** Begins an upload and answers where it goes on. */
export const beginUpload = async (call: NewUploadCall, image: string): Promise<BytesResult> => {
  const target = uploadTargetOf(call.repository, call.loaded);
  const location = { uploadId: randomUUID(), contentId: contentIdOf(target), image };
  const { actor } = call.caller;
  // The completion checks the quota again. This check spares the client an upload that would be refused.
  await checkQuota(call.table, call.workspace, target.workspaceId, { bytes: 0, packages: 0 });
  const { uploadId, contentId } = location;
  const upload = newBlobUpload({
    actorId: actor.id,
    workspaceId: target.workspaceId,
    contentId,
    name: image,
    ...nothing,
  });
  const begun = await beginInSlot(call.table, ownerOfBlobUpload(upload), { uploadId, bytes: 0 }, (at) => [
    blobUploadBegun(uploadId, { ...upload, slot: at }),
  ]);
  if ('refusal' in begun) throw new Error('Two uploads have the same ID.');
  return progressAnswer(call, 202, { location, upload });
};

/** Finds the upload of an address. Throws UPLOAD_NOT_FOUND if it is over, or if the address was not made for this caller. */
export const findUpload = async (call: AddressedUpload, image: string, uploadId: string): Promise<OngoingUpload> => {
  const target = uploadTargetOf(call.repository, call.loaded);
  const location = { uploadId, contentId: contentIdOf(target), image };
  const version = versionIn(call.query.state, location, call.caller);
  if (version === undefined) throw new ApiError('UPLOAD_NOT_FOUND');
  const key = blobUploadKey(uploadId);
  const upload = (await call.table.read([key])).find(key);
  const isOurs = upload && upload.actorId === call.caller.actor.id && upload.contentId === location.contentId;
  if (!isOurs || upload.name !== image || !isOngoing(upload)) throw new ApiError('UPLOAD_NOT_FOUND');
  return { location, upload, target, isCurrent: upload.version === version };
};

/** As `findUpload`, for a request that changes the upload: throws UPLOAD_RANGE_INVALID for the address of an earlier answer. */
export const findCurrentUpload = async (
  call: AddressedUpload,
  image: string,
  uploadId: string,
): Promise<OngoingUpload> => {
  const found = await findUpload(call, image, uploadId);
  if (!found.isCurrent) throw outOfOrder(call, found);
  return found;
};

/** The headers that say how far an upload has come, and where it goes on. */
const progressHeaders = (call: AnsweredCall, { location, upload }: Progressed): Readonly<Record<string, string>> => ({
  Location: `${imageUrl(call, location.image)}/blobs/uploads/${location.uploadId}?state=${stateOf(location, upload.version, call.caller)}`,
  Range: `0-${Math.max(0, upload.size - 1)}`,
  'Docker-Upload-UUID': location.uploadId,
  'OCI-Chunk-Min-Length': String(chunkBytesMin),
});

/** Answers how far an upload has come, and where it goes on. */
export const progressAnswer = (call: AnsweredCall, status: 202 | 204, progressed: Progressed): BytesResult =>
  emptyAnswer(status, progressHeaders(call, progressed));

/** The refusal of bytes that do not follow those that are there. */
export const outOfOrder = (
  call: AnsweredCall,
  progressed: Progressed,
  sentence = `The upload has ${progressed.upload.size} bytes now: continue at the address in Location.`,
): ApiError =>
  Object.assign(new ApiError('UPLOAD_RANGE_INVALID', sentence), { headers: progressHeaders(call, progressed) });
