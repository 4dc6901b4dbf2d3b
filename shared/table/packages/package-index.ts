import type { BlobRef } from './blobs.ts';

/** The head of an index. That of a package is the head of the package; that of a repository has only these fields. */
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
  /** The version. In the index of a repository, the name of the package comes first, and a space. */
  readonly version: string;
  readonly revision: number;
  readonly isRemoved?: true;
  /** The texts of the index entry, as gzipped JSON. */
  readonly parts: Uint8Array;
}
