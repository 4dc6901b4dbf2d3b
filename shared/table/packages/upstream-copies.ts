import type { Key } from '../keys.ts';
import type { Update } from '../writes.ts';
import type { BlobRef } from './blobs.ts';

/** The validators of a cached copy (RFC 9110 section 8.8), and the time of its last confirmation. */
export interface UpstreamCopy {
  readonly etag?: string;
  readonly lastModified?: string;
  /** When the upstream last confirmed the copy, in milliseconds since the epoch. */
  readonly checkedAt: number;
  /** Set if the index of the upstream contains the hash of the file. The copy then stays fresh for ever. */
  readonly isImmutable?: true;
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

/** The longest pause that an upstream gets, in seconds, however long it asks for. */
export const pauseSecondsMax = 3_600;

/** When an item with a pause is removed at the earliest. No pause that was noted before ends later, so whoever writes the item shortens none. */
export const pauseExpiryAt = (now: number): number => Math.ceil(now / 1000) + pauseSecondsMax;

/** The item of one of the fetches of a workspace that go on after their requests. */
export interface WorkerSlot {
  readonly fetchId: string;
  /** In milliseconds since the epoch. */
  readonly until: number;
  readonly expiresAt: number;
}

/** Records that the upstream confirmed the copy of an item, unless the item now has another blob. */
export const confirmation = <T extends Copied>(key: Key<T>, { blob }: T, copy: UpstreamCopy): Update => ({
  update: key,
  set: 'SET #copy = :copy',
  if: '#blob = :blob',
  values: { ':copy': copy, ':blob': blob },
});
