import type { PackageType } from '../../package-types.ts';

/** On which names of packages an advisory is. Only imports read it. */
export interface AdvisorySource {
  readonly id: string;
  /** When it last changed; empty while an import is replacing it. */
  readonly modified: string;
  readonly names: readonly string[];
}

/** A list of all advisories of a type, in parts. */
export interface FeedList {
  readonly updatedAt: string;
  readonly parts: number;
}

/** A part of the bytes of a list, which is gzipped JSON. */
export interface AdvisoryListPart {
  readonly content: Uint8Array;
}

/** The advisories on the packages of a type. */
export interface AdvisoryFeed {
  readonly packageType: PackageType;
  /** The import that is going on, which replaces one that began before it; empty if there is none. */
  readonly running: string;
  /** The last one that came to its end, with the entries of its archive; both are absent before the first one has. */
  readonly importedAt?: string;
  readonly entries?: number;
  /** The latest change among all entries that came, by an archive or one by one. */
  readonly newest?: string;
  /** The list of all advisories, and the one before it; of a type whose clients read all at once. */
  readonly lists?: readonly FeedList[];
}

/** What an import does: it looks at the whole archive, writes what changed, and removes what the archive has no more. */
export type ImportPhase = 'checking' | 'writing' | 'removing';

/** How far an import is. */
export interface ImportProgress {
  readonly phase: ImportPhase;
  /** The entries, or the shards of advisories to remove, that this phase is through with. */
  readonly position: number;
  /** The entries of the archive; 0 before they are counted. */
  readonly entries: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly removed: number;
  /** The latest change among the entries of the archive that were looked at; empty before the first. */
  readonly newest: string;
}

/** An import of advisories from an archive in the staging area. */
export interface AdvisoryImport extends ImportProgress {
  readonly importId: string;
  readonly packageType: PackageType;
  /** `replaced`: a later import of the same type has begun. */
  readonly state: 'running' | 'done' | 'refused' | 'replaced';
  /** Why the archive was refused, as a sentence; empty if it was not. */
  readonly problem: string;
  readonly allowsFewer: boolean;
  /** The archive. */
  readonly objectKey: string;
  readonly size: number;
  readonly sha256: string;
  readonly createdAt: string;
  /** Null: the schedule. */
  readonly createdBy: string | null;
  /** The last run of the worker; absent if none has begun. */
  readonly runId?: string;
  /** The end of the lease of that run, in milliseconds. */
  readonly runUntil?: number;
}

/** How each import begins. */
export const beginning = {
  state: 'running',
  problem: '',
  phase: 'checking',
  position: 0,
  entries: 0,
  changed: 0,
  unchanged: 0,
  removed: 0,
  newest: '',
} as const satisfies Partial<AdvisoryImport>;
