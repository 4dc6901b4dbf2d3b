import type { PackagePublication } from './publication.ts';

/** A version as its package type understands its files. */
export type VersionContent = Pick<
  PackagePublication,
  'name' | 'displayName' | 'version' | 'files' | 'parts' | 'addedParts' | 'document' | 'tags' | 'marks'
>;

/** How the versions of a package type behave, where types differ. */
export interface VersionTraits {
  /** Whether every version must spell the name of its package as the first one did. */
  readonly firstSpellingWins: boolean;
  /** Whether files may be added to a version that exists. */
  readonly files: 'all at once' | 'one by one';
  /** Whose index lists a version. */
  readonly indexOf: 'package' | 'repository';
  /** Whether these files replace those of the same names, as those of a snapshot do. */
  readonly replaces: (content: VersionContent) => boolean;
}
