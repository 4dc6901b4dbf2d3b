import { createHash, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { createSHA256 } from 'hash-wasm';
import { chunksOf } from '../../shared/chunks.ts';
import { ApiError } from '../../shared/errors.ts';
import type { ByteBody } from '../../shared/http/payloads.ts';
import { bestEffort } from '../../shared/observability/best-effort.ts';
import { stagingObjectKey } from '../../shared/store/keys.ts';
import { MultipartUpload } from '../../shared/store/multipart.ts';
import { deleteObject, putObjectOnce, readObject, streamObject } from '../../shared/store/objects.ts';
import { fileInMemory, type ReceivedFile, type StagedUpload, stagedFile } from '../../shared/store/received-file.ts';
import type { Piece, Progress } from '../../shared/table/packages/blob-uploads.ts';
import { bytesIn, isCopied, mergedBytes, type PlannedPart, planParts, type Slice, tailOf } from './upload-pieces.ts';

/** How many parts are read, copied or removed at once. */
const partsAtOnce = 10;

/** An upload without any bytes. */
export const nothing: Progress = { size: 0, pieces: [] };

/** The keys of the objects that have the bytes of an upload. */
export const keysOf = ({ pieces }: Progress): readonly string[] => pieces.map(({ key }) => key);

/**
 * Removes objects that no upload needs any more, so that what is stored is what counts towards the storage limit. If that fails, the
 * lifecycle of the bucket removes them later.
 */
export const removeObjects = async (keys: readonly (string | undefined)[], signal: AbortSignal): Promise<void> => {
  const distinct = [...new Set(keys.filter((key) => key !== undefined))];
  for (const batch of chunksOf(distinct, partsAtOnce))
    await bestEffort(Promise.all(batch.map(async (key) => deleteObject(key, signal))));
};

/** Reads a slice. The staging area holds it for two days, longer than the upload lives. */
const readSlice = async ({ key, range }: Slice, signal: AbortSignal): Promise<Buffer> => {
  const bytes = await readObject(key, signal, range);
  if (bytes?.length !== range[1] - range[0] + 1) throw new ApiError('SERVICE_UNAVAILABLE');
  return bytes;
};

const readPieces = async (pieces: readonly Piece[], signal: AbortSignal): Promise<Buffer> => {
  const read = async ({ key, size }: Piece): Promise<Buffer> => readSlice({ key, range: [0, size - 1] }, signal);
  return Buffer.concat(await Promise.all(pieces.filter(({ size }) => size > 0).map(read)));
};

/** The state of the hash after more bytes; undefined if the state before is not known, or a release stored it in another form. */
const hashedOn = async ({ size, hashState }: Progress, bytes: Uint8Array): Promise<string | undefined> => {
  if (size > 0 && hashState === undefined) return undefined;
  const hash = await createSHA256();
  try {
    if (hashState === undefined) hash.init();
    else hash.load(Buffer.from(hashState, 'base64'));
  } catch {
    return undefined;
  }
  hash.update(bytes);
  return Buffer.from(hash.save()).toString('base64');
};

/** Adds bytes to an upload as an object that nobody writes again. Small pieces are merged with them. */
const appendedBytes = async (before: Progress, bytes: Buffer, signal: AbortSignal): Promise<Progress> => {
  const tail = tailOf(before.pieces);
  const isMerging = tail.length > 0 && bytesIn(tail) + bytes.length >= mergedBytes;
  const content = isMerging ? Buffer.concat([await readPieces(tail, signal), bytes]) : bytes;
  const piece = { key: stagingObjectKey(randomUUID()), size: content.length };
  const [hashState] = await Promise.all([hashedOn(before, bytes), putObjectOnce(piece.key, content, signal)]);
  return {
    size: before.size + bytes.length,
    pieces: [...(isMerging ? before.pieces.slice(0, -tail.length) : before.pieces), piece],
    ...(hashState !== undefined && { hashState }),
  };
};

/** Adds bytes to an upload that are in the staging area already. */
const appendedStaged = ({ size, pieces }: Progress, staged: StagedUpload): Progress => ({
  size: size + staged.size,
  pieces: [...pieces, { key: staged.key, size: staged.size }],
  ...(size === 0 && { sha256: staged.hashes.sha256 }),
});

/** Adds the body of a request to an upload. */
export const appended = async (
  before: Progress,
  { staged, stream }: Pick<ByteBody, 'staged' | 'stream'>,
  signal: AbortSignal,
): Promise<Progress> =>
  staged ? appendedStaged(before, staged) : appendedBytes(before, await buffer(stream()), signal);

/** Makes one object of the pieces, inside S3 as far as they are large. */
const assembled = async (pieces: readonly Piece[], signal: AbortSignal): Promise<string> => {
  const key = stagingObjectKey(randomUUID());
  const upload = await MultipartUpload.begin(key, signal);
  const send = async ([slice, ...others]: PlannedPart, number: number): Promise<void> => {
    if (isCopied([slice, ...others])) return upload.copy(number, slice.key, slice.range);
    const bytes = await Promise.all([slice, ...others].map((each) => readSlice(each, signal)));
    return upload.put(number, Buffer.concat(bytes));
  };
  const numbered = planParts(pieces).map((part, index) => ({ part, number: index + 1 }));
  for (const batch of chunksOf(numbered, partsAtOnce))
    await Promise.all(batch.map(({ part, number }) => send(part, number)));
  // Should it fail, the lifecycle removes what is there.
  await upload.completeOnce();
  return key;
};

/** The SHA-256 of an object, read from its first to its last byte. */
const readHash = async (key: string, signal: AbortSignal): Promise<string> => {
  const stream = await streamObject(key, signal);
  if (!stream) throw new ApiError('SERVICE_UNAVAILABLE');
  const hash = createHash('sha256');
  for await (const chunk of stream as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
};

const digestOfState = async (hashState: string): Promise<string | undefined> => {
  const hash = await createSHA256();
  try {
    hash.load(Buffer.from(hashState, 'base64'));
    return hash.digest();
  } catch {
    return undefined;
  }
};

/**
 * The bytes of an upload as one file, with their SHA-256. Small ones are read and hashed. Of large ones the hash was computed
 * when they arrived; where it was not, they are read now.
 */
export const received = async (
  { size, pieces, hashState, sha256 }: Progress,
  signal: AbortSignal,
): Promise<ReceivedFile> => {
  if (size < mergedBytes) return fileInMemory(await readPieces(pieces, signal));
  const [only, ...others] = pieces;
  const key = only && others.length === 0 ? only.key : await assembled(pieces, signal);
  const known = sha256 ?? (hashState === undefined ? undefined : await digestOfState(hashState));
  return stagedFile(key, size, { sha256: known ?? (await readHash(key, signal)) }, signal);
};
