import { ApiError } from '../errors.ts';
import type { Table } from './client.ts';
import { type Remember, rememberNothing } from './creations.ts';
import { type PackageRef, uploadKey } from './keys.ts';
import { insertion, type Update } from './writes.ts';

/** A file that the client of an upload session announced. */
export interface AnnouncedFile {
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
}

/** An upload session: what one user is about to publish to one repository. */
export interface UploadSession {
  readonly userId: string;
  readonly workspaceId: string;
  /** The repository in the address, perhaps a virtual one. */
  readonly repositoryId: string;
  readonly packageName?: string;
  readonly packageVersion?: string;
  readonly files: readonly AnnouncedFile[];
  /** In seconds. DynamoDB removes the item some time later. */
  readonly expiresAt: number;
  /** What it was published as. */
  readonly published?: PackageRef & { readonly version: string };
}

/** The seconds within which a session must be completed: less than its files stay in the staging area. */
const lifetimeSeconds = 24 * 60 * 60;

/** Begins a session, and returns when it ends, in seconds. */
export const beginUpload = async (
  table: Table,
  uploadId: string,
  session: Omit<UploadSession, 'expiresAt' | 'published'>,
  remember: Remember = rememberNothing,
): Promise<number> => {
  const expiresAt = Math.floor(Date.now() / 1000) + lifetimeSeconds;
  const refusal = await table.write([insertion(uploadKey(uploadId), { ...session, expiresAt }), ...remember(uploadId)]);
  if (refusal) throw new ApiError('IDEMPOTENCY_KEY_REUSED');
  return expiresAt;
};

/** Whether a session can still be completed. */
export const isOpen = ({ expiresAt }: UploadSession): boolean => expiresAt > Date.now() / 1000;

/** Notes what a session was published as, in the transaction that publishes it; refused if it was published before. */
export const completeUpload = (uploadId: string, published: NonNullable<UploadSession['published']>): Update => ({
  update: uploadKey(uploadId),
  set: 'SET #published = :published',
  if: 'attribute_exists(pk) AND attribute_not_exists(#published)',
  values: { ':published': published },
});
