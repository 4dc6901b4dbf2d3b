import type { Actor } from '../../auth/actor.ts';
import { sortedEntries } from '../../sorted-entries.ts';
import type { BlobRef } from './blobs.ts';
import type { CountedEntry, IndexHead } from './package-index.ts';
import type { UpstreamCopy } from './upstream-copies.ts';

/** A package in the list of its repository. */
export interface PackageEntry {
  /** The name in the spelling of its first publisher. */
  readonly displayName: string;
  /**
   * Set if no version is stored: all are deleted or, in a remote repository, only documents are cached. The package is not
   * listed. In a local repository it still keeps the name from upstreams, see `answeringSources`.
   */
  readonly isEmpty?: true;
  /** Set if there was never a version, but only files of none. Then it keeps no name from upstreams. */
  readonly isUnpublished?: true;
}

/** The head of a package: what a request needs before it reads versions. It stays after the last version is deleted. */
export interface PackageHead extends IndexHead {
  readonly displayName: string;
  readonly versionCount: number;
  /** The bytes of the files of its versions. Those of files of no version are counted apart, see `LooseSize`. */
  readonly sizeInBytes: number;
  /** The version that was published last. */
  readonly newestVersion?: string;
  readonly createdAt: string;
  /** Set if the versions without `indexes` are in the index of the repository, and not in one of the package. */
  readonly indexedIn?: 'repository';
  /** Set if files that belong to no version were stored. The sweeper then looks for those that nothing needs any more. */
  readonly hasLooseFiles?: true;
  /** Set if such files made the head: its revision then. As long as it has that one, there was never a version. */
  readonly looseAt?: 0;
  /** The last time at which the sweeper was told to look at them. */
  readonly looseDueAt?: string;
  /** How many of them were deleted because somebody asked for it. A version that needs such files is published only while this stays. */
  readonly looseRemovals?: number;
  /** Set if tags of the package are items of their own. */
  readonly hasTagItems?: true;
  /** What the package type shows in addition to the versions, as text in a form that only the type knows. */
  readonly document?: string;
  /** The tags, such as `tag:latest`, each with the version that it points to. */
  readonly [tag: `tag:${string}`]: string | undefined;
}

/** Who published a version or a file. */
export interface Publisher {
  readonly kind: Actor['kind'];
  /** Null if the caller is no user. */
  readonly userId: string | null;
  /** The name of the user, of the token of a workspace, or of the trust. */
  readonly username: string;
  /** Null if the request came with a password. */
  readonly tokenId: string | null;
}

/** Where a version or a file comes from: a publication, or the URL at an upstream. */
export type Origin =
  | { readonly kind: 'published'; readonly by: Publisher }
  | { readonly kind: 'fetched'; readonly url: string };

/** The entries of a version by the names of their indexes, see `IndexName`. */
export type CountedEntries = Readonly<Record<string, CountedEntry>>;

/** A version of a package. With `deletedAt` it is a tombstone, which stays until the repository is emptied or deleted. */
export interface PackageVersion {
  readonly version: string;
  /** The number of changes of this version. Of two index entries, the one with the higher revision is newer. */
  readonly revision: number;
  readonly sizeInBytes: number;
  /** The size of its index entries, also when they are removed; absent if an earlier release published it. */
  readonly entryBytes?: number;
  /** Its entries by the names of their indexes, see `countedEntries`; absent if it was published before an index had a name. */
  readonly indexes?: CountedEntries;
  readonly fileCount: number;
  readonly createdAt: string;
  readonly origin: Origin;
  readonly deletedAt?: string;
}

/**
 * A file of a version. With `deletedAt` it is a tombstone. The tombstone keeps the hash, so that a publication cannot store
 * other bytes under the name. In a remote repository, other bytes of the upstream may replace them.
 */
export interface PackageFile {
  readonly file: string;
  readonly version: string;
  readonly size: number;
  readonly mediaType: string;
  readonly blob: BlobRef;
  /** Absent if nobody has read the file. */
  readonly sha512?: string;
  readonly sha1?: string;
  readonly md5?: string;
  readonly createdAt: string;
  readonly origin: Origin;
  /** Set in a remote repository. */
  readonly copy?: UpstreamCopy;
  /** When a file that belongs to no version was stored, or last needed by a new version. */
  readonly usedAt?: string;
  readonly deletedAt?: string;
}

/**
 * Stands where a file would have its version, if the file belongs to none: the blobs of an image, which many of its manifests
 * may share. No package type takes an empty version, so nothing else has such a key.
 */
export const noVersion = '';

/**
 * One of the items that together hold the bytes of the files of a package that belong to no version. The head does not count
 * them, so that a client can send hundreds of blobs of one image at once.
 */
export interface LooseSize {
  readonly bytes?: number;
}

/** A tag that is an item of its own. It leads nowhere once its version was deleted. */
export interface PackageTag {
  readonly version: string;
  /** The revision of the version when the tag was set. Deleting a version raises it, and publishing it again does so too. */
  readonly revision: number;
  readonly updatedAt: string;
}

/** Whether an item exists and is no tombstone. */
export const isLive = <T extends { readonly deletedAt?: string }>(
  item: T | undefined,
): item is T & { readonly deletedAt?: never } => item !== undefined && item.deletedAt === undefined;

/** Whether a package has versions. Its head stays after the last version is deleted. */
export const isPresent = (head: PackageHead | undefined): boolean => head !== undefined && head.versionCount > 0;

/**
 * Whether a package has versions, or ever had one. Files of no version may be there before the first one: those of a push that never
 * ended do not make the name a local one.
 */
export const wasPublished = (head: PackageHead | undefined): boolean => head?.looseAt !== head?.revision;

/** The entries of a version. One that was published before an index had a name has one, in the index that the head says. */
export const countedEntries = (
  { indexes, entryBytes, revision }: PackageVersion,
  head: Pick<PackageHead, 'indexedIn'> | undefined,
): CountedEntries =>
  indexes ?? (entryBytes === 0 ? {} : { [head?.indexedIn ?? 'package']: { bytes: entryBytes ?? 0, revision } });

/** The size of these entries. */
export const bytesOf = (entries: CountedEntries): number =>
  Object.values(entries).reduce((sum, { bytes }) => sum + bytes, 0);

/** The tags of a package, in the order of their names. */
export const tagsOf = (head: PackageHead): Record<string, string> =>
  Object.fromEntries(
    sortedEntries({ ...head }).flatMap(([name, value]) =>
      name.startsWith('tag:') && typeof value === 'string' ? [[name.slice('tag:'.length), value]] : [],
    ),
  );
