import type { BlobRef } from './blobs.ts';

/** An index that is neither of one package nor of the whole repository: its subject and its name, such as `plugins:org.acme`. */
export type NamedIndex = `${string}:${string}`;

/** An index that lists a version: that of its package, that of its repository, or another one of the repository. */
export type IndexName = 'package' | 'repository' | NamedIndex;

/** The entry of a version in one of its indexes, as the version counts it. */
export interface CountedEntry {
  /** Its size, also when it is removed. */
  readonly bytes: number;
  /** The revision of the version at which it last changed. */
  readonly revision: number;
}

/** The head of an index. That of a package is the head of the package; the others have only these fields. */
export interface IndexHead {
  /** The number of changes. The ETag of the documents that are rendered from the index is computed from it. */
  readonly revision: number;
  readonly updatedAt: string;
  /** The size of its entries before compression, removed ones included. Entries of earlier releases are not counted. */
  readonly entryBytes?: number;
  /** The blob of the last snapshot of the index, and the revision at that time. */
  readonly snapshot?: BlobRef & { readonly revision: number };
}

/** A change of an index since its snapshot: the new state of one version. */
export interface IndexChange {
  /** The version. In an index of several packages, the name of the package comes first, and a space. */
  readonly version: string;
  readonly revision: number;
  readonly isRemoved?: true;
  /** The texts of the index entry, as gzipped JSON. */
  readonly parts: Uint8Array;
}
