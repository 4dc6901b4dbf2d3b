/** Content of a repository that is unreachable and is to be removed, of one package or of all. */
export interface ContentSweep {
  readonly workspaceId: string;
}

/** A blob to look at when its time has come; the key says all. */
export type BlobSweep = object;
