import { equals, isAbsent, setFields } from '../field-writes.ts';
import type { Key } from '../keys.ts';
import type { Update } from '../writes.ts';
import type { BlobRef } from './blobs.ts';
import type { ReleaseTimes } from './release-times.ts';
import type { UpstreamCopy } from './upstream-copies.ts';

/** A document of an upstream as a remote repository remembers it; also that there is none. */
export interface CachedDocument {
  readonly status: 200 | 404;
  /** The bytes, gzipped; absent for 404. */
  readonly blob?: BlobRef;
  /** Their size before compression; absent if an earlier release kept them. */
  readonly bytes?: number;
  readonly copy: UpstreamCopy;
  /** The times of what the document lists, if it lists what was published. */
  readonly releases?: ReleaseTimes | undefined;
  readonly fetchedAt: string;
  /** What says only that there is nothing is deleted some time after this epoch second. */
  readonly expiresAt?: number;
}

/** Replaces a cached document, if it is still the one that was read. `checkedAt` identifies it. */
export const documentReplaced = (
  key: Key<CachedDocument>,
  before: CachedDocument | undefined,
  document: Omit<CachedDocument, 'fetchedAt'>,
): Update => {
  const set: CachedDocument = { ...document, fetchedAt: new Date().toISOString() };
  const remove = (['blob', 'bytes', 'releases', 'expiresAt'] as const).filter((name) => set[name] === undefined);
  return setFields(key, { set, remove }, before ? equals('copy.checkedAt', before.copy.checkedAt) : isAbsent);
};
