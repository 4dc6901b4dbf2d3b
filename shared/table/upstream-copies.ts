import type { BlobRef } from './blobs.ts';
import type { Table } from './client.ts';
import type { Key } from './keys.ts';

/** What the copy of something at an upstream is checked by (RFC 9110 section 8.8), and when it was. */
export interface UpstreamCopy {
  readonly etag?: string;
  readonly lastModified?: string;
  /** When the upstream last confirmed it, in milliseconds. */
  readonly checkedAt: number;
  /** The index of the upstream told its hash: it needs no check, ever. */
  readonly isImmutable?: true;
  /** Until then one caller asks the upstream, and the others take what is here. */
  readonly leasedUntil?: number;
}

/** An item that holds such a copy. */
interface Copied {
  readonly blob?: BlobRef;
  readonly copy?: UpstreamCopy;
}

/** That an upstream has no such file. */
export interface MissingFile {
  /** When it said so, in milliseconds. */
  readonly checkedAt: number;
  readonly expiresAt: number;
}

/** That an upstream asked to be left alone (429). */
export interface UpstreamPause {
  /** In milliseconds. */
  readonly until: number;
  readonly expiresAt: number;
}

/** How long others wait for the one who asks the upstream, should that one never come back. */
const leaseMilliseconds = 30_000;

/**
 * Takes the lease on a stale copy: undefined when it is the caller's to ask the upstream. Otherwise another caller asks, or has
 * asked already, and `found` is what is there now.
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

/** Notes that the upstream confirmed what an item holds a copy of, unless the item holds another one by now. */
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
