import type { BlobRef } from './blobs.ts';

/** A document of an upstream as a remote repository remembers it; also that there is none. */
export interface CachedDocument {
  readonly status: 200 | 404;
  /** The bytes, gzipped; absent for 404. */
  readonly blob?: BlobRef;
  readonly etag?: string;
  readonly lastModified?: string;
  readonly fetchedAt: string;
  /** When the upstream last confirmed it, in milliseconds. */
  readonly checkedAt: number;
  /** Until then one caller asks the upstream, and the others take what is here. */
  readonly leasedUntil?: number;
}
