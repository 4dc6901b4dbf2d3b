import { randomUUID } from 'node:crypto';
import type { Actor } from '../../auth/actor.ts';
import type { Table } from '../client.ts';
import { heldBy, uploadKey } from '../keys.ts';
import { insertion, type Write } from '../writes.ts';
import { type OpenSession, type UploadOwner, uploadEnded } from './open-uploads.ts';
import type { PackageRef } from './package-keys.ts';

/** How a file is sent in parts: the multipart upload of S3, and the length of every part except the last. */
export interface FileParts {
  readonly uploadId: string;
  readonly bytes: number;
}

/** A file that the client of an upload session announced. */
export interface AnnouncedFile {
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
  /** Absent for a file that is sent by one request. */
  readonly parts?: FileParts;
}

/** How far the verification of a file has come. */
export interface VerificationProgress {
  /** The position of the file in the session. */
  readonly file: number;
  /** The number of bytes that were read. */
  readonly offset: number;
  /** The state of the hash after these bytes, in Base64. */
  readonly hashState: string;
  /** The copy of these bytes in one life of the blob. Absent if the bytes of the blob were stored already. */
  readonly copy?: { readonly objectId: string; readonly uploadId: string };
}

/** What the verification of a session has found. */
export interface Verification {
  /** The positions of the files whose bytes have the announced hash. */
  readonly verified?: readonly number[];
  readonly progress?: VerificationProgress;
}

/** An upload session: what one actor is about to publish to one repository. */
export interface UploadSession extends Verification {
  readonly actor: Actor;
  readonly workspaceId: string;
  /** The repository in the address, perhaps a virtual one. */
  readonly repositoryId: string;
  readonly packageName?: string;
  readonly packageVersion?: string;
  readonly distribution?: string;
  readonly component?: string;
  readonly files: readonly AnnouncedFile[];
  /** Where it stands among the open uploads of its actor; absent if an earlier release began it. */
  readonly slot?: number;
  /** In seconds. DynamoDB removes the item some time later. */
  readonly expiresAt: number;
  /** What it was published as. */
  readonly published?: PackageRef & { readonly version: string };
  /** Why the session can never be published, as a sentence. */
  readonly failure?: string;
  /** The last run of the verification; absent if none has begun. */
  readonly runId?: string;
  /** The end of the lease of that run, in milliseconds. */
  readonly runUntil?: number;
}

/**
 * The seconds within which a session must be completed. Its verification may then take as long again. Its files stay in the
 * staging area for at least as long as both: S3 counts the days from the begin of an upload in parts.
 * docs.aws.amazon.com/AmazonS3/latest/userguide/UsingMetadata.html
 */
const lifetimeSeconds = 24 * 60 * 60;

/** The lease of a run that a request has begun, until the worker takes it over. */
const requestMilliseconds = 30_000;

/** The lease of the worker, which renews it before this time is over. */
const workerMilliseconds = 60_000;

/** What is known of a session when it begins. */
export type NewUpload = Pick<
  UploadSession,
  'actor' | 'workspaceId' | 'repositoryId' | 'packageName' | 'packageVersion' | 'distribution' | 'component' | 'files'
>;

/** A session that begins now. */
export const newUpload = (session: NewUpload): NewUpload & Pick<UploadSession, 'expiresAt'> => ({
  ...session,
  expiresAt: Math.floor(Date.now() / 1000) + lifetimeSeconds,
});

/** The write that begins a session. */
export const uploadBegun = (uploadId: string, session: UploadSession): Write => insertion(uploadKey(uploadId), session);

/** Whose upload a session is. */
export const ownerOfUpload = ({ workspaceId, actor }: Pick<UploadSession, 'workspaceId' | 'actor'>): UploadOwner => ({
  workspaceId,
  actorId: actor.id,
  kind: 'session',
});

/** Whether a session can still be completed. */
export const isOpen = ({ expiresAt }: UploadSession): boolean => expiresAt > Date.now() / 1000;

type SlotHolder = Pick<UploadSession, 'workspaceId' | 'actor' | 'slot'>;

const slotFreed = (uploadId: string, session: SlotHolder): Write[] =>
  session.slot === undefined ? [] : [uploadEnded(ownerOfUpload(session), session.slot, uploadId)];

/** Notes what a session was published as, in the transaction that publishes it; refused if it was published before. */
export const completeUpload = (
  uploadId: string,
  session: SlotHolder,
  published: NonNullable<UploadSession['published']>,
): Write[] => [
  {
    update: uploadKey(uploadId),
    set: 'SET #published = :published',
    if: 'attribute_exists(pk) AND attribute_not_exists(#published)',
    values: { ':published': published },
  },
  ...slotFreed(uploadId, session),
];

/**
 * Notes why a session can never be published, and frees its slot. Returns false if it was published meanwhile, or if another run
 * than the one that found this holds the lease.
 */
export const failUpload = async (
  table: Table,
  uploadId: string,
  session: SlotHolder,
  { failure, runId }: { readonly failure: string; readonly runId?: string },
): Promise<boolean> => {
  const isOurs = runId === undefined ? '' : ' AND #runId = :run';
  const refusal = await table.writeUnrecorded([
    {
      update: uploadKey(uploadId),
      set: 'SET #failure = :failure',
      if: `attribute_exists(pk) AND attribute_not_exists(#published)${isOurs}`,
      values: { ':failure': failure, ...(runId !== undefined && { ':run': runId }) },
    },
    ...slotFreed(uploadId, session),
  ]);
  return !refusal;
};

/** Ends a session that is neither published nor failed, and frees its slot. Returns false if it has ended meanwhile. */
export const endUpload = async (table: Table, { uploadId, owner, slot }: OpenSession): Promise<boolean> => {
  const refusal = await table.writeUnrecorded([
    { remove: uploadKey(uploadId), if: 'attribute_not_exists(#published) AND attribute_not_exists(#failure)' },
    uploadEnded(owner, slot, uploadId),
  ]);
  return !refusal;
};

/** Whether a run of the verification is going on. */
export const isVerifying = ({ runUntil = 0 }: UploadSession): boolean => runUntil > Date.now();

/** Begins a run of the verification and returns its ID; undefined if another run is going on. The first run extends the session. */
export const beginRun = async (
  table: Table,
  uploadId: string,
  { expiresAt, runId: lastRun }: UploadSession,
): Promise<string | undefined> => {
  const runId = randomUUID();
  const now = Date.now();
  const key = uploadKey(uploadId);
  const answer = await table.update({
    update: key,
    set: 'SET #runId = :runId, #runUntil = :runUntil, #expiresAt = :expiresAt',
    if: 'attribute_exists(pk) AND (attribute_not_exists(#runUntil) OR #runUntil <= :now)',
    values: {
      ':runId': runId,
      ':runUntil': now + requestMilliseconds,
      ':expiresAt': lastRun === undefined ? expiresAt + lifetimeSeconds : expiresAt,
      ':now': now,
    },
  });
  // The SDK repeats a call whose reply was lost, and then meets its own lease.
  return 'before' in answer || heldBy(key, answer.refused)?.runId === runId ? runId : undefined;
};

/** Takes a run over under a new ID, so that only one of two workers with the same event succeeds. */
export const takeRunOver = async (
  table: Table,
  uploadId: string,
  from: string,
): Promise<{ readonly runId: string; readonly session: UploadSession } | undefined> => {
  const key = uploadKey(uploadId);
  const runId = randomUUID();
  const answer = await table.update({
    update: key,
    set: 'SET #runId = :runId, #runUntil = :runUntil',
    if: '#runId = :from AND attribute_not_exists(#published) AND attribute_not_exists(#failure)',
    values: { ':runId': runId, ':runUntil': Date.now() + workerMilliseconds, ':from': from },
  });
  const found = heldBy(key, 'before' in answer ? answer.before : answer.refused);
  return found && ('before' in answer || found.runId === runId) ? { runId, session: found } : undefined;
};

/** Extends the lease of a run, or ends it, and stores what it has found. Returns false if another run holds the lease. */
export const keepRun = async (
  table: Table,
  uploadId: string,
  runId: string,
  found: Verification = {},
  runUntil = Date.now() + workerMilliseconds,
): Promise<boolean> => {
  const fields = { ...found, runUntil };
  const answer = await table.update({
    update: uploadKey(uploadId),
    set: `SET ${Object.keys(fields)
      .map((name) => `#${name} = :${name}`)
      .join(', ')}`,
    if: '#runId = :run',
    values: {
      ':run': runId,
      ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [`:${name}`, value])),
    },
  });
  return 'before' in answer;
};
