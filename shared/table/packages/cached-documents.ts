import type { BlobRef } from './blobs.ts';
import type { UpstreamCopy } from './upstream-copies.ts';

/** A document of an upstream as a remote repository remembers it; also that there is none. */
export interface CachedDocument {
  readonly status: 200 | 404;
  /** The bytes, gzipped; absent for 404. */
  readonly blob?: BlobRef;
  /** Their size before compression; absent if an earlier release kept them. */
  readonly bytes?: number;
  readonly copy: UpstreamCopy;
  readonly fetchedAt: string;
  /** What says only that there is nothing is deleted some time after this epoch second. */
  readonly expiresAt?: number;
}
