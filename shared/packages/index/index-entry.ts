/** One version of a package in an index. */
export interface IndexEntry {
  /** The version. In an index of several packages, the name of the package comes first, and a space. */
  readonly version: string;
  /** The number of changes of this version. Of two entries, the one with the higher revision is newer. */
  readonly revision: number;
  readonly isRemoved?: true;
  /** The data of the version in the index, as texts in a form that only the package type knows. */
  readonly parts: readonly string[];
}
