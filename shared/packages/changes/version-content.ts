import type { IndexName } from '../../table/packages/package-index.ts';
import type { IndexListing } from '../index/index-listing.ts';
import type { PackagePublication } from './publication.ts';

/** A version as its package type understands its files. */
export interface VersionContent
  extends Pick<
      PackagePublication,
      'name' | 'displayName' | 'version' | 'otherSpellings' | 'files' | 'document' | 'tags' | 'tagRule'
    >,
    Pick<IndexListing, 'addedParts'> {
  /** The texts of the entry of a new version in the index that the type has, see `VersionTraits`. */
  readonly parts?: IndexListing['parts'];
  /** The indexes of the repository that list the version beside it. */
  readonly alsoListed?: readonly (IndexListing & { readonly index: Exclude<IndexName, 'package'> })[];
}

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
  /** What stands behind a version in the names of those that are parts of it, and are deleted with it. By default, none are. */
  readonly partMark?: string;
}
