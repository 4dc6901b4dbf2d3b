import type { Quota } from '../../http/quota.ts';
import type { ReceivedFile } from '../../store/received-file.ts';
import type { Table } from '../../table/client.ts';
import type { PackageRef } from '../../table/packages/package-keys.ts';
import type { Origin, PackageHead } from '../../table/packages/packages.ts';
import type { UpstreamCopy } from '../../table/packages/upstream-copies.ts';
import type { Usage } from '../../table/packages/usage.ts';
import type { Repository } from '../../table/repositories/repositories.ts';
import type { Write } from '../../table/writes.ts';
import type { IndexListing } from '../index/index-listing.ts';

/**
 * The media type of files of any kind. That of a publisher or an upstream is not used: a browser would run an HTML page with
 * its credential for this host.
 */
export const fileMediaType = 'application/octet-stream';

/** A file to publish as part of a version. */
export interface FileToPublish {
  readonly name: string;
  readonly mediaType: string;
  readonly received: ReceivedFile;
  /** Set for a file that was fetched from an upstream. */
  readonly copy?: UpstreamCopy;
}

/** How files that belong to no version are published. Only the types that have such files bring it. */
export interface LoosePublishing {
  /** Does what such files need of their package. `isForced` does so although it was done within the hour. */
  readonly prepare: (table: Table, head: PackageHead | undefined, isForced?: boolean) => Promise<void>;
  /** The writes that concern the content and the package. */
  readonly writes: (added: Pick<Usage, 'bytes' | 'files'>) => readonly PlannedWrite[];
}

/** A write, and what its condition concerns. */
export interface PlannedWrite {
  readonly step: 'repository' | 'usage' | 'session' | 'blob' | 'content' | 'key';
  readonly write: Write;
}

/** What a publication does to the tags of its package, by the head of the package as it was read for the transaction. */
export type TagRule = (
  publication: Pick<PackagePublication, 'tags'>,
  head: PackageHead | undefined,
  table: Table,
  ref: PackageRef,
) => TagChanges | Promise<TagChanges>;

type TagChanges = Pick<PackagePublication, 'tags' | 'keptTags' | 'alsoWritten'>;

/** The files of one version of a package, to be published together. */
export interface PackagePublication {
  /** A local repository, or the remote one that fetched the files. */
  readonly repository: Repository;
  readonly quota: Quota;
  /** The name, normalised by the rules of the package type. It is part of the keys. */
  readonly name: string;
  /** The name in the spelling of the publisher. */
  readonly displayName: string;
  /** `noVersion` for files of the package that belong to none of its versions. Then `loose` is set. */
  readonly version: string;
  /** What the version may also be called. As long as the package has one of these, or had it, it gets no version in this spelling. */
  readonly otherSpellings?: readonly string[];
  readonly files: readonly FileToPublish[];
  /** The indexes that list the version, each once. */
  readonly indexes?: readonly IndexListing[];
  /** What the package type shows of the package in addition to its versions, as text. */
  readonly document?: string;
  /** Tags to move to this version. */
  readonly tags?: readonly string[];
  /** Tags to set unless they are, each as the field of the head and its version. */
  readonly keptTags?: Readonly<Record<`tag:${string}`, string>>;
  /** In a package type with a tag that every package has. What it returns replaces what the publication says. */
  readonly tagRule?: TagRule;
  /** Tags to move to this version that are items of their own, in a package type with thousands of them. */
  readonly tagItems?: readonly string[];
  readonly origin: Origin;
  /** Set if files may be added to a version that exists. */
  readonly isOpen?: boolean;
  /** Set if files are added to a version that exists, and no version is created. */
  readonly isAddition?: boolean;
  /** Set if every version must spell the name as the first one did. */
  readonly hasOneSpelling?: boolean;
  /** Set if the files replace those of the same names, in a package type in which such files may change. */
  readonly isReplacing?: boolean;
  /**
   * Requires the files of no version that the version needs, before anything is stored and before each further try. None of them
   * can be deleted between this and the publication.
   */
  readonly requireLooseFiles?: () => Promise<void>;
  readonly loose?: (publication: PackagePublication) => LoosePublishing;
  /** The upload that is published, and what ends it in the same transaction. */
  readonly session?: { readonly uploadId: string; readonly ends: readonly Write[] };
  /** Further writes of the same transaction. None of them has a condition, but for those of the rule for tags. */
  readonly alsoWritten?: readonly Write[];
  /** Keeps what the version is under the Idempotency-Key of the request, in the same transaction. */
  readonly remembered?: readonly Write[];
}

/** Whether the files replace those of the same names: so do files that a remote repository fetched from its upstream. */
export const isReplacing = ({ origin, isReplacing: isAsked = false }: PackagePublication): boolean =>
  isAsked || origin.kind === 'fetched';
