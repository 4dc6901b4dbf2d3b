import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ApiError, unavailable } from '../errors.ts';
import { type PlacedObject, placeObject } from './checked-object.ts';
import { type AllHashes, type FileHashes, hashing } from './hashes.ts';
import { stagingObjectKey } from './keys.ts';
import { MultipartUpload } from './multipart.ts';
import { type ByteRange, readObject, streamObject } from './objects.ts';

/** The size of the parts in which a file goes through the staging area of the store. A smaller one is in memory. */
export const partBytes = 8 * 1024 * 1024;

/** A file whose bytes and hashes are known, before anything refers to it. */
export interface ReceivedFile {
  readonly size: number;
  readonly hashes: FileHashes;
  /** The object that contains the file, unless the file is small enough for memory. */
  readonly stagingKey: string | undefined;
  /** The ID of the life of the blob whose object contains the file already. */
  readonly storedAs?: string;
  stream(): Promise<Readable>;
  /** All of it, which the caller knows to be short enough. */
  bytes(): Promise<Buffer>;
  /** Random access, for formats whose directory is at the end. */
  read(range: ByteRange): Promise<Uint8Array>;
}

/** Bytes that arrive piece by piece. */
type Pieces = AsyncIterable<Buffer>;

/** What was received: the bytes, if they were not staged. */
interface Received {
  readonly size: number;
  readonly inMemory: Buffer | undefined;
}

interface Receiving {
  readonly update: (bytes: Buffer) => void;
  readonly staysInMemory: boolean;
  /** Called with each part that is in the store. */
  readonly onStored?: ((part: Buffer) => void) | undefined;
}

/**
 * Reads pieces to their end in bounded memory, and puts them into an object in parts. What is shorter than a part stays in memory, unless
 * everything is to be staged.
 */
const receive = async (
  source: Pieces,
  key: string,
  signal: AbortSignal,
  { update, staysInMemory, onStored = () => {} }: Receiving,
): Promise<Received> => {
  let upload: MultipartUpload | undefined;
  let pending: Buffer[] = [];
  let [size, pendingSize] = [0, 0];
  try {
    for await (const chunk of source) {
      update(chunk);
      pending.push(chunk);
      size += chunk.length;
      pendingSize += chunk.length;
      if (pendingSize < partBytes) continue;
      upload ??= await MultipartUpload.begin(key, signal);
      const part = Buffer.concat(pending);
      [pending, pendingSize] = [[], 0];
      await upload.add(part);
      onStored(part);
    }
    const rest = Buffer.concat(pending);
    if (!upload && staysInMemory) return { size, inMemory: rest };
    upload ??= await MultipartUpload.begin(key, signal);
    if (rest.length > 0) await upload.add(rest);
    await upload.completeOnce();
    return { size, inMemory: undefined };
  } catch (error) {
    // The lifecycle removes the rest later. Removing it now saves space, and may fail.
    await upload?.abort().catch(() => {});
    throw error;
  }
};

/** Receives a stream of any length in bounded memory. It hashes the stream, and stages a large file. */
export const receiveFile = async (source: Readable, signal: AbortSignal): Promise<ReceivedFile> => {
  const { update, digest } = hashing();
  const key = stagingObjectKey(randomUUID());
  const { size, inMemory } = await receive(source as Pieces, key, signal, { update, staysInMemory: true });
  return inMemory ? fileInMemory(inMemory, digest()) : stagedFile(key, size, digest(), signal);
};

/** Puts bytes that are at least one into the staging area, whatever their number, with the hashes of these names. */
export const stageFile = async (
  source: Pieces,
  signal: AbortSignal,
  names: readonly (keyof FileHashes)[],
  onStored?: (part: Buffer) => void,
): Promise<StagedUpload> => {
  const { update, digest } = hashing(names);
  const key = stagingObjectKey(randomUUID());
  const { size } = await receive(source, key, signal, { update, staysInMemory: false, onStored });
  return { key, size, hashes: digest() };
};

/** Puts bytes where they belong at once. Returns what arrived: the bytes are there only if they have the SHA-256 of the destination. */
export const placeFile = async (
  source: Pieces,
  destination: PlacedObject,
  length: number,
  signal: AbortSignal,
): Promise<StagedUpload> => {
  const { update, digest } = hashing(['sha256']);
  let size = 0;
  const pieces = async function* (): AsyncGenerator<Buffer> {
    for await (const piece of source) {
      update(piece);
      size += piece.length;
      yield piece;
    }
  };
  const isThere = await placeObject(destination, { length, pieces: pieces() }, signal);
  const hashes = digest();
  // Neither the client nor the door may believe that bytes are there which are not.
  if (!isThere && hashes.sha256 === destination.sha256) throw new ApiError('SERVICE_UNAVAILABLE');
  return { key: destination.key, size, hashes };
};

/** A file in memory. */
export const fileInMemory = (bytes: Buffer, hashes: FileHashes = hashesOf(bytes)): ReceivedFile => ({
  size: bytes.length,
  hashes,
  stagingKey: undefined,
  stream: async () => Readable.from([bytes]),
  bytes: async () => bytes,
  read: async ([first, last]) => bytes.subarray(first, last + 1),
});

const hashesOf = (bytes: Uint8Array): AllHashes => {
  const hashes = hashing();
  hashes.update(bytes);
  return hashes.digest();
};

/** A file in the staging area. */
export const stagedFile = (key: string, size: number, hashes: FileHashes, signal: AbortSignal): ReceivedFile => {
  const present = <T>(found: T | undefined): T => {
    if (found === undefined) throw new ApiError('SERVICE_UNAVAILABLE');
    return found;
  };
  return {
    size,
    hashes,
    stagingKey: key,
    stream: async () => present(await streamObject(key, signal)),
    bytes: async () => buffer(present(await streamObject(key, signal))),
    read: async (range) => present(await readObject(key, signal, range)),
  };
};

/** What is known of a file in the staging area that somebody else put there: whoever did has checked the hashes. */
export interface StagedUpload {
  readonly key: string;
  readonly size: number;
  readonly hashes: FileHashes;
}

/** Receives a file that was uploaded to the staging area. A small one is read; the bytes of a large one stay in S3. */
export const receiveUpload = async (
  { key, size, hashes }: StagedUpload,
  signal: AbortSignal,
): Promise<ReceivedFile> => {
  const file = stagedFile(key, size, hashes, signal);
  return size < partBytes ? receiveFile(await file.stream(), signal) : file;
};

/**
 * Receives the bytes of a request. Those that are staged have the hashes that they came with. They stay where they are, unless they
 * are few: S3 copies no part of an object of less than 5 MB.
 */
export const receiveBody = async (
  { staged, stream }: { readonly staged?: StagedUpload; readonly stream: () => Readable },
  signal: AbortSignal,
): Promise<ReceivedFile> => {
  if (!staged) return receiveFile(stream(), signal);
  const { key, size, hashes } = staged;
  return size < partBytes ? fileInMemory(await buffer(stream()), hashes) : stagedFile(key, size, hashes, signal);
};

/** Reads a file to its end with a reader of its format, which may stop before, and learns all its hashes on the way. */
export const readWhole = async <T>(
  file: ReceivedFile,
  read: (bytes: Readable) => Promise<T>,
): Promise<{ readonly content: T; readonly received: ReceivedFile; readonly hashes: AllHashes }> => {
  const hashed = hashing();
  const pieces = (await file.stream())[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const take = async (): Promise<IteratorResult<Buffer, unknown>> => {
    const piece = await pieces.next().catch((error: unknown) => {
      throw unavailable(error);
    });
    if (!piece.done) hashed.update(piece.value);
    return piece;
  };
  const whole = async function* (): AsyncGenerator<Buffer> {
    for (let piece = await take(); !piece.done; piece = await take()) yield piece.value;
  };
  const content = await read(Readable.from(whole()));
  while (!(await take()).done);
  const hashes = hashed.digest();
  return { content, received: { ...file, hashes }, hashes };
};
