import type { Source } from '../sources/sources.ts';

/** What of a package leaves the service. The name is normalised by the rules of its type; empty for a whole repository. */
export type Leaving =
  /** The package in a list, in the result of a search, or its record. */
  | { readonly kind: 'package'; readonly name: string }
  /** What a client reads of all its versions. */
  | { readonly kind: 'index'; readonly name: string }
  | { readonly kind: 'version'; readonly name: string; readonly version: string }
  | { readonly kind: 'file'; readonly name: string; readonly version: string; readonly file: string }
  | { readonly kind: 'tag'; readonly name: string; readonly tag: string }
  /** The list of its tags. */
  | { readonly kind: 'tags'; readonly name: string };

/** Whether something may leave. What comes from an upstream has its own rules in `gate/`; no policy holds back what a local repository has. */
const mayLeave = (_source: Source, _leaving: Leaving): boolean => true;

/**
 * The one gate of reads: returns what a source has, or undefined where a policy holds it back, as if the source did not have it.
 * Every version, file, tag and list that an answer shows passes here, also a kept copy, and also through virtual repositories.
 */
export const readable = <T>(source: Source, leaving: Leaving, held: T): T | undefined =>
  mayLeave(source, leaving) ? held : undefined;
