/** One version of a package as the index of its type shows it. */
export interface IndexEntry {
  readonly version: string;
  /** Counts the changes of this version: of two entries the higher is the newer. */
  readonly revision: number;
  readonly isRemoved?: true;
  /** What the index of the type says of the version, as texts that the type alone understands. */
  readonly parts: readonly string[];
}
