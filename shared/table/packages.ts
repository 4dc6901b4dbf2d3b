import type { BlobRef } from './blobs.ts';
import type { UpstreamCopy } from './upstream-copies.ts';

/** A package in the list of its repository. */
export interface PackageEntry {
  /** As its first publisher spelled it. */
  readonly displayName: string;
  /** Its versions are all deleted: it is not shown, and its name stays ours. */
  readonly isEmpty?: true;
}

/** A package: what its repository knows of it without reading its versions. It stays when all versions are gone. */
export interface PackageHead {
  readonly displayName: string;
  /** Counts the changes of the package; the ETag of its index follows from it. */
  readonly revision: number;
  readonly versionCount: number;
  readonly sizeInBytes: number;
  /** The version that was published last. */
  readonly newestVersion?: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** What the type shows of the package beside its versions, as text that the type alone understands. */
  readonly document?: string;
  /** The index as of some change, as a blob. */
  readonly snapshot?: BlobRef & { readonly revision: number };
  /** The tags: `tag:latest` and so on, each with the version that it names. */
  readonly [tag: `tag:${string}`]: string | undefined;
}

/** Who published something. */
export interface Publisher {
  readonly userId: string;
  readonly username: string;
  /** Null when it was with a password. */
  readonly tokenId: string | null;
}

/** Where a version came from. */
export type Origin =
  | { readonly kind: 'published'; readonly by: Publisher }
  | { readonly kind: 'fetched'; readonly url: string };

/** A version of a package. Its tombstone stays for good. */
export interface PackageVersion {
  readonly version: string;
  /** Counts the changes of this version: of two index entries the higher is the newer. */
  readonly revision: number;
  readonly sizeInBytes: number;
  readonly fileCount: number;
  readonly createdAt: string;
  readonly origin: Origin;
  readonly deletedAt?: string;
}

/**
 * A file of a version, found by its path. The tombstone keeps the hash: other bytes never come under this name, but in a remote
 * repository, which follows its upstream.
 */
export interface PackageFile {
  readonly file: string;
  readonly version: string;
  readonly size: number;
  readonly mediaType: string;
  readonly blob: BlobRef;
  readonly sha512: string;
  readonly sha1: string;
  readonly md5: string;
  readonly createdAt: string;
  readonly origin: Origin;
  /** In a remote repository. */
  readonly copy?: UpstreamCopy;
  readonly deletedAt?: string;
}

/** The tags of a package, by name. */
export const tagsOf = (head: PackageHead): Record<string, string> =>
  Object.fromEntries(
    Object.entries(head).flatMap(([name, value]) =>
      name.startsWith('tag:') && typeof value === 'string' ? [[name.slice('tag:'.length), value]] : [],
    ),
  );
