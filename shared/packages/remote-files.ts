import type { PackageFile } from '../table/packages.ts';
import type { RemoteRepository } from '../table/repositories.ts';

/** A file at an upstream, and what its index promised of it. */
export interface UpstreamFile {
  readonly url: string;
  readonly mediaType: string;
  /** What the bytes must be; hashes in hex. A file whose hash is known never changes. */
  readonly expected?: {
    readonly size?: number;
    readonly sha256?: string;
    readonly sha512?: string;
    readonly sha1?: string;
  };
}

/** How an answer came about: from what was cached, from the upstream, or from what was cached because the upstream failed. */
export type CacheState = 'hit' | 'miss' | 'stale' | 'revalidated';

/** Whether a cached file needs no question to the upstream. */
export const isFresh = (source: RemoteRepository, file: PackageFile): boolean => {
  const { fileCacheTimeTillRevalidation: lifetime } = source;
  return lifetime === null || Date.parse(file.createdAt) + lifetime > Date.now();
};
