import { ApiError, invalid } from '../../shared/errors.ts';
import type { Caller } from '../../shared/http/caller.ts';
import type { Infer } from '../../shared/http/schema.ts';
import { type FileInParts, isInParts, type StagedFile } from '../../shared/packages/uploads/staged-files.ts';
import { MultipartUpload } from '../../shared/store/multipart.ts';
import { headObject } from '../../shared/store/objects.ts';
import { partAddress, uploadAddress } from '../../shared/store/uploads.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import { type Key, uploadKey } from '../../shared/table/keys.ts';
import { type AnnouncedFile, isOpen, type UploadSession } from '../../shared/table/packages/uploads.ts';
import { idOf } from '../../shared/table/references.ts';
import type { Repository } from '../../shared/table/repositories/repositories.ts';
import { uploadBytesMax } from './upload-limits.ts';
import type { uploadSchema } from './upload-schemas.ts';

/** The keys that the first read must bring to find the session in the path; none if the text is not an ID. */
export const sessionKeys = (upload: string): readonly Key<UploadSession>[] => {
  const id = idOf(upload);
  return id === undefined ? [] : [uploadKey(id)];
};

/** The session in the path. It must be the caller's own, in the repository of the path, and not too old. */
export const sessionOf = ({
  params,
  caller,
  repository,
  loaded,
}: {
  readonly params: { readonly upload: string };
  readonly caller: Caller;
  readonly repository: Repository;
  readonly loaded: IdentityMap;
}): UploadSession & { readonly uploadId: string } => {
  const uploadId = idOf(params.upload);
  const session = uploadId === undefined ? undefined : loaded.find(uploadKey(uploadId));
  const isOwn = session?.actor.id === caller.actor.id && session.repositoryId === repository.repositoryId;
  if (uploadId === undefined || !session || !isOwn || !isOpen(session)) throw new ApiError('UPLOAD_NOT_FOUND');
  return { ...session, uploadId };
};

/** The size of all files of a session. */
export const announcedBytes = (files: readonly AnnouncedFile[]): number =>
  files.reduce((sum, { size }) => sum + size, 0);

/** Refuses a session whose files together are too large. */
export const refuseTooLarge = (files: readonly AnnouncedFile[]): void => {
  if (announcedBytes(files) <= uploadBytesMax) return;
  const message = `The files of a session must have at most ${uploadBytesMax} bytes together.`;
  throw invalid([{ pointer: '/files', rule: 'maximum', message }]);
};

/** A part of a file: its number in the upload, where it begins, and its length. */
interface FilePart {
  readonly number: number;
  readonly offset: number;
  readonly size: number;
}

/** The parts in which a file is sent. */
const partsOf = ({ size, parts: { bytes } }: FileInParts): readonly FilePart[] =>
  Array.from({ length: Math.ceil(size / bytes) }, (_, index) => {
    const offset = index * bytes;
    return { number: index + 1, offset, size: Math.min(bytes, size - offset) };
  });

/** The parts of a file that have not arrived. */
const missingParts = async (file: FileInParts, signal: AbortSignal): Promise<readonly FilePart[]> => {
  const { key, parts } = file;
  const listed = await new MultipartUpload(key, parts.uploadId, signal).list();
  // A verification has completed the upload. Nothing can be sent to it any more.
  if (!listed) return [];
  const arrived = new Map(listed.map(({ number, size }) => [number, size]));
  return partsOf(file).filter(({ number, size }) => arrived.get(number) !== size);
};

/** What a client has to send of a file, and to which URLs. */
export const wireFile = async (file: StagedFile, missing?: readonly FilePart[]) => {
  const { name, size: sizeInBytes, sha256, key } = file;
  if (!isInParts(file)) {
    const { url, header } = await uploadAddress(file);
    return { name, sizeInBytes, sha256, uploadUrl: url, uploadHeader: header, parts: [] };
  }
  const { uploadId } = file.parts;
  const parts = (missing ?? partsOf(file)).map(async ({ number, offset, size }) => ({
    number,
    offsetInBytes: offset,
    sizeInBytes: size,
    uploadUrl: await partAddress({ key, uploadId, number, size }),
  }));
  return { name, sizeInBytes, sha256, uploadUrl: null, uploadHeader: null, parts: await Promise.all(parts) };
};

/** A session as clients see it, with what they have to send. */
export const wireUpload = (
  id: string,
  expiresAt: number,
  files: Awaited<ReturnType<typeof wireFile>>[],
): Infer<typeof uploadSchema> => ({ id, expiresAt: new Date(expiresAt * 1000).toISOString(), files });

/** The maximum number of missing parts that a refusal names. */
const namedPartsMax = 10;

/** What is wrong with a file that was sent in one piece, as a sentence; undefined if it arrived as it was announced. */
const flawOf = async ({ name, key, size, sha256 }: StagedFile, signal: AbortSignal): Promise<string | undefined> => {
  const found = await headObject(key, signal);
  if (!found) return `'${name}' has not arrived: send it with PUT to its uploadUrl first.`;
  if (found.size !== size)
    return `'${name}' arrived with ${found.size} bytes instead of the announced ${size}: send the right file again.`;
  return found.sha256 === sha256
    ? undefined
    : `'${name}' arrived without the announced SHA-256: send the right file again, with its uploadHeader.`;
};

/** What a client still has to send of a file; undefined if it has arrived. */
export const missingOf = async (file: StagedFile, signal: AbortSignal) => {
  if (!isInParts(file)) return (await flawOf(file, signal)) === undefined ? undefined : wireFile(file);
  const missing = await missingParts(file, signal);
  return missing.length > 0 ? wireFile(file, missing) : undefined;
};

/** Refuses a file that did not arrive as it was announced. */
export const requireArrival = async (file: StagedFile, signal: AbortSignal): Promise<void> => {
  const flaw = isInParts(file) ? await flawOfParts(file, signal) : await flawOf(file, signal);
  if (flaw !== undefined) throw new ApiError('UPLOAD_INCOMPLETE', flaw);
};

const flawOfParts = async (file: FileInParts, signal: AbortSignal): Promise<string | undefined> => {
  const missing = await missingParts(file, signal);
  if (missing.length === 0) return undefined;
  const numbers = missing.slice(0, namedPartsMax).map(({ number }) => number);
  const more = missing.length > namedPartsMax ? ` and ${missing.length - namedPartsMax} more` : '';
  return `Of '${file.name}', these parts have not arrived: ${numbers.join(', ')}${more}. Send each with PUT to its uploadUrl first.`;
};
