/** What changed in the index of a package since its snapshot: one version, as its newest state. */
export interface IndexChange {
  readonly version: string;
  readonly revision: number;
  readonly isRemoved?: true;
  /** The texts of the index entry, as gzipped JSON. */
  readonly parts: Uint8Array;
}
