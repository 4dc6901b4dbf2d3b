/** A change of the index of a package since its snapshot: the new state of one version. */
export interface IndexChange {
  readonly version: string;
  readonly revision: number;
  readonly isRemoved?: true;
  /** The texts of the index entry, as gzipped JSON. */
  readonly parts: Uint8Array;
}
