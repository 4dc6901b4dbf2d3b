import type { JsonObject } from '../../shared/packages/json-objects.ts';

/** The files of a project as one repository knows them. */
export interface ProjectFiles {
  /** The members of the page (PEP 691) that are neither the name nor a list of files or versions. */
  readonly head: JsonObject;
  /** The versions of the project (PEP 700), unless the upstream says none. */
  readonly versions: readonly string[] | undefined;
  readonly files: readonly ProjectFile[];
}

/**
 * A file as its page describes it (PEP 691), with all members that the index of an upstream has. `url` and `provenance` are
 * addresses at the upstream; a file of a local repository has no `url`, and a text as `provenance` if it has one.
 */
export interface ProjectFile extends JsonObject {
  readonly filename: string;
}

/** What a page says about the METADATA of a file: its hashes, that it exists, or nothing (PEP 714). */
export const metadataPromise = (file: ProjectFile): unknown =>
  file['core-metadata'] ?? file['dist-info-metadata'] ?? file['data-dist-info-metadata'] ?? false;
