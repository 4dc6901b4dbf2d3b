import type { Table } from '../client.ts';
import type { Key } from '../keys.ts';
import type { BlobRef } from './blobs.ts';

/** The validators of a cached copy (RFC 9110 section 8.8), and the time of its last confirmation. */
export interface UpstreamCopy {
  readonly etag?: string;
  readonly lastModified?: string;
  /** When the upstream last confirmed the copy, in milliseconds since the epoch. */
  readonly checkedAt: number;
  /** Set if the index of the upstream contains the hash of the file. The copy then stays fresh for ever. */
  readonly isImmutable?: true;
  /** Until this time, in milliseconds since the epoch, one request asks the upstream and the others use the stale copy. */
  readonly leasedUntil?: number;
}

/** An item with a copy. */
interface Copied {
  readonly blob?: BlobRef;
  readonly copy?: UpstreamCopy;
}

/** The item that remembers that an upstream does not have a file. */
export interface MissingFile {
  /** When the upstream answered 404 or 410, in milliseconds since the epoch. */
  readonly checkedAt: number;
  readonly expiresAt: number;
}

/** The item that remembers that an upstream asked for a pause (429), or did not answer. */
export interface UpstreamPause {
  /** The end of the pause, in milliseconds since the epoch. */
  readonly until: number;
  readonly expiresAt: number;
  /** How many questions had no answer, since when, in milliseconds since the epoch. */
  readonly silences?: number;
  readonly silentSince?: number;
  /** How many questions hang, and until when at most. */
  readonly hanging?: number;
  readonly hangingUntil?: number;
}

/** The item of one of the fetches of a workspace that go on after their requests. */
export interface WorkerSlot {
  readonly fetchId: string;
  /** In milliseconds since the epoch. */
  readonly until: number;
  readonly expiresAt: number;
}

/** How long a lease lasts if its holder never finishes. */
const leaseMilliseconds = 30_000;

/**
 * Takes the lease on a stale copy. Undefined means that the caller has the lease and is to ask the upstream. Otherwise
 * another request has the lease or has finished, and `found` is the item as it is now.
 */
export const takeLease = async <T extends Copied>(
  table: Table,
  key: Key<T>,
  { copy }: T,
): Promise<{ readonly found: T | undefined } | undefined> => {
  const now = Date.now();
  const answer = await table.update({
    update: key,
    set: 'SET #copy.#leasedUntil = :until',
    if: '#copy.#checkedAt = :seen AND (attribute_not_exists(#copy.#leasedUntil) OR #copy.#leasedUntil < :now)',
    values: { ':until': now + leaseMilliseconds, ':seen': copy?.checkedAt, ':now': now },
  });
  return 'before' in answer ? undefined : { found: answer.refused as T | undefined };
};

/** Records that the upstream confirmed the copy of an item, unless the item now has another blob. */
export const confirmCopy = async <T extends Copied>(
  table: Table,
  key: Key<T>,
  { blob }: T,
  copy: UpstreamCopy,
): Promise<void> => {
  await table.update({
    update: key,
    set: 'SET #copy = :copy',
    if: '#blob = :blob',
    values: { ':copy': copy, ':blob': blob },
  });
};
