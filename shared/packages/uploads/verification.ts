import { createSHA256, type IHasher } from 'hash-wasm';
import { log } from '../../observability/log.ts';
import { whileRenewed } from '../../renewal.ts';
import { blobObjectKey } from '../../store/keys.ts';
import { MultipartUpload } from '../../store/multipart.ts';
import { type ByteRange, deleteObject, headObject, streamObject } from '../../store/objects.ts';
import { Table } from '../../table/client.ts';
import { announceBlob } from '../../table/packages/blobs.ts';
import {
  failUpload,
  keepRun,
  takeRunOver,
  type UploadSession,
  type Verification,
  type VerificationProgress,
} from '../../table/packages/uploads.ts';
import { findStoredBlob } from '../blobs/blob-storage.ts';
import { type FileInParts, isInParts, stagedFiles } from './staged-files.ts';

/** The event of the worker: the run of the verification that it takes over. */
export interface HandedOverRun {
  readonly uploadId: string;
  readonly runId: string;
}

/** The result of a run. */
export type RunOutcome = 'verified' | 'unfinished' | 'refused' | 'not ours';

/** The time to finish the last piece and to complete the copy. S3 needs minutes for that if the copy is large. */
const finishMilliseconds = 180_000;

/** S3 needs up to a minute to copy a piece of gigabytes, and minutes to complete an upload of terabytes. */
const silenceMilliseconds = 120_000;

const mebibyte = 1024 * 1024;

/**
 * The bytes that are read, and copied inside S3, before the progress is stored. S3 takes pieces of at least 5 MiB, and
 * one answer of it lists 1,000 of them.
 */
const pieceBytesOf = (size: number): number =>
  Math.ceil(Math.max(5 * mebibyte, size / 1_000, Math.min(64 * mebibyte, size / 2)));

/** A run that holds the lease. */
interface Run {
  readonly table: Table;
  readonly uploadId: string;
  readonly session: UploadSession;
  readonly signal: AbortSignal;
  readonly hasTime: () => boolean;
  /** Stores what was found. Throws if another run holds the lease. */
  readonly save: (found: Verification) => Promise<void>;
  /** Notes why the session can never be published. Throws as `save`. */
  readonly fail: (failure: string) => Promise<void>;
}

/**
 * Verifies that the files of a session that were sent in parts have their announced SHA-256, which S3 does not check for an
 * upload in parts. It copies each piece into the blob while it reads the piece, and completes the copy only if the hash
 * fits. The progress is stored after each piece, so the next run continues wherever a run ends.
 */
export const verifyUpload = async ({ uploadId, runId }: HandedOverRun, milliseconds: number): Promise<RunOutcome> => {
  const stopAt = Date.now() + milliseconds - finishMilliseconds;
  const table = new Table(milliseconds);
  const taken = await takeRunOver(table, uploadId, runId);
  if (!taken) return 'not ours';
  const { session, ...run } = taken;
  const keep = async (found?: Verification): Promise<boolean> => keepRun(table, uploadId, run.runId, found);
  const requireOurs = (isOurs: boolean): void => {
    if (!isOurs) throw new Error('Another run verifies this upload session.');
  };
  try {
    return await whileRenewed(keep, async (isLost) =>
      verifyFiles({
        table,
        uploadId,
        session,
        signal: AbortSignal.any([table.signal, isLost]),
        hasTime: () => Date.now() < stopAt,
        save: async (found) => requireOurs(await keep(found)),
        fail: async (failure) => requireOurs(await failUpload(table, uploadId, session, { ...run, failure })),
      }),
    );
  } finally {
    // The next request then need not wait until the lease is over.
    await keepRun(table, uploadId, run.runId, {}, 0).catch(log.bestEffortFailure);
  }
};

const verifyFiles = async (run: Run): Promise<RunOutcome> => {
  const { table, uploadId, session, save, fail } = run;
  const files = stagedFiles(uploadId, session.files);
  const verified = new Set(session.verified);
  for (const [position, file] of files.entries()) {
    if (!isInParts(file)) continue;
    const isVerified = verified.has(position);
    if (isVerified && (await findStoredBlob(table, session.workspaceId, file.sha256))) continue;
    const outcome = await verifyFile(run, position, file);
    if (outcome === 'unfinished') return outcome;
    if (outcome !== 'verified') {
      await fail(outcome.refused);
      await Promise.all(files.map(({ key }) => deleteObject(key, run.signal)));
      return 'refused';
    }
    verified.add(position);
    await save({ verified: [...verified] });
  }
  return 'verified';
};

const verifyFile = async (
  run: Run,
  position: number,
  file: FileInParts,
): Promise<'verified' | 'unfinished' | { readonly refused: string }> => {
  const { name, key, size, sha256 } = file;
  if (!(await isStaged(run, file)))
    return { refused: `The parts of '${name}' are gone: create a new session and send them again.` };
  const { hash, copy, ...begun } = await resumed(run, position, file);
  let { offset } = begun;
  while (offset < size) {
    if (!run.hasTime()) return 'unfinished';
    const range: ByteRange = [offset, Math.min(size, offset + pieceBytesOf(size)) - 1];
    await Promise.all([
      feed(hash, key, range, run.signal),
      copy?.upload.copy(offset / pieceBytesOf(size) + 1, key, range),
    ]);
    offset = range[1] + 1;
    await run.save({ progress: progressOf(position, { hash, offset, copy }) });
  }
  const found = hash.digest();
  if (found === sha256) {
    if (copy) await copy.upload.completeOnce(await copy.upload.list());
    return 'verified';
  }
  await copy?.upload.abort();
  return {
    refused: `'${name}' arrived with the SHA-256 ${found} instead of the announced ${sha256}: create a new session and send the right file.`,
  };
};

/** Completes the upload in parts in the staging area, unless an earlier run has. Returns whether the object is there. */
const isStaged = async ({ signal }: Run, { key, size, parts }: FileInParts): Promise<boolean> => {
  const upload = new MultipartUpload(key, parts.uploadId, signal, silenceMilliseconds);
  const listed = await upload.list();
  if (listed) await upload.completeOnce(listed);
  return (await headObject(key, signal))?.size === size;
};

/** The state of the verification of a file. */
interface Reading {
  readonly hash: IHasher;
  readonly offset: number;
  readonly copy: { readonly objectId: string; readonly upload: MultipartUpload } | undefined;
}

const progressOf = (file: number, { hash, offset, copy }: Reading): VerificationProgress => ({
  file,
  offset,
  hashState: Buffer.from(hash.save()).toString('base64'),
  ...(copy && { copy: { objectId: copy.objectId, uploadId: copy.upload.uploadId } }),
});

/** Continues where the last run has stored its progress, or begins. The bytes are not copied if the blob has them already. */
const resumed = async (run: Run, position: number, { size, sha256 }: FileInParts): Promise<Reading> => {
  const { table, session, signal } = run;
  const { ref } = await announceBlob(table, session.workspaceId, { sha256, size }, undefined);
  const target = blobObjectKey(ref);
  const needsCopy = !(await headObject(target, signal));
  const progress = session.progress?.file === position ? session.progress : undefined;
  const before = progress?.copy && {
    objectId: progress.copy.objectId,
    upload: new MultipartUpload(
      blobObjectKey({ ...ref, objectId: progress.copy.objectId }),
      progress.copy.uploadId,
      signal,
      silenceMilliseconds,
    ),
  };
  const isUsable = needsCopy && before?.objectId === ref.objectId && (await before.upload.list()) !== undefined;
  const copied = isUsable ? before : undefined;
  const hash = await createSHA256();
  const isContinued = progress && (copied || !needsCopy) && isLoaded(hash, progress, size);
  if (!isContinued || !copied) await before?.upload.abort();
  if (isContinued) return { hash, offset: progress.offset, copy: copied };
  hash.init();
  if (!needsCopy) return { hash, offset: 0, copy: undefined };
  const upload = await MultipartUpload.begin(target, signal, silenceMilliseconds);
  const copy = { objectId: ref.objectId, upload };
  await run.save({ progress: progressOf(position, { hash, offset: 0, copy }) });
  return { hash, offset: 0, copy };
};

/** Restores the state of a hash. An earlier release may have stored it in another form, or after a piece of another size. */
const isLoaded = (hash: IHasher, { hashState, offset }: VerificationProgress, size: number): boolean => {
  if (offset !== size && offset % pieceBytesOf(size) !== 0) return false;
  try {
    hash.load(Buffer.from(hashState, 'base64'));
    return true;
  } catch {
    return false;
  }
};

const feed = async (hash: IHasher, key: string, range: ByteRange, signal: AbortSignal): Promise<void> => {
  const bytes = await streamObject(key, signal, range);
  let count = 0;
  for await (const chunk of (bytes ?? []) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    count += chunk.length;
  }
  if (count !== range[1] - range[0] + 1) throw new Error('The staging area did not return all bytes of a piece.');
};
