import type { JsonObject } from '../../shared/packages/formats/json-objects.ts';

/** The files of a project as one repository knows them. */
export interface ProjectFiles {
  /** The members of the page (PEP 691) that are neither the name nor a list of files or versions. */
  readonly head: JsonObject;
  /** The versions of the project (PEP 700), unless the upstream says none. */
  readonly versions: readonly string[] | undefined;
  readonly files: readonly ProjectFile[];
  /** The wheels whose METADATA the upstream does not have: it is read from the wheel here. */
  readonly withMetadataHere?: ReadonlySet<string>;
}

/**
 * A file as its page describes it (PEP 691), with all members that the index of an upstream has. `url` and `provenance` are
 * addresses at the upstream; a file of a local repository has no `url`, and a text as `provenance` if it has one.
 */
export interface ProjectFile extends JsonObject {
  readonly filename: string;
}

const promises = ['core-metadata', 'dist-info-metadata', 'data-dist-info-metadata'] as const;

/** What a page says about the METADATA of a file: its hashes, that it exists, or nothing (PEP 714). */
export const metadataPromise = (file: ProjectFile): unknown =>
  promises.map((member) => file[member]).find((promise) => promise !== undefined && promise !== null) ?? false;

/**
 * A page whose wheels all have METADATA: clients can read it without the wheel, also if the upstream has none. Members that deny it
 * are replaced.
 */
export const withMetadata = (page: ProjectFiles): ProjectFiles => {
  const lacks = (file: ProjectFile): boolean => file.filename.endsWith('.whl') && metadataPromise(file) === false;
  const promising = (file: ProjectFile): ProjectFile => {
    const members = promises.filter((member, index) => index === 0 || member in file);
    return { ...file, ...Object.fromEntries(members.map((member) => [member, true])) };
  };
  return {
    ...page,
    files: page.files.map((file) => (lacks(file) ? promising(file) : file)),
    withMetadataHere: new Set(page.files.filter(lacks).map(({ filename }) => filename)),
  };
};
