import type { JsonObject } from '../../shared/packages/formats/json-objects.ts';
import { requireSize } from '../../shared/packages/index/entry-bounds.ts';
import type { LoadedIndex } from '../../shared/packages/index/package-index.ts';
import type { FileHashes } from '../../shared/store/hashes.ts';
import type { PackageManifest } from './manifest.ts';
import { publishedFile } from './paths.ts';

/** Where the file of a version is: its name in the address of this repository, and what a client compares. */
export interface Dist {
  readonly type: string;
  readonly file: string;
  readonly reference: string;
  readonly shasum: string;
}

/** A version of a package, whatever it comes from. */
export interface ComposerVersion {
  /** The short form of the version, by which it is found. */
  readonly version: string;
  readonly normalized: string;
  /** What a document shows of it, but for its file. */
  readonly fields: JsonObject;
  /** Absent if an upstream has its source only. */
  readonly dist?: Dist;
  /** Set for one of an upstream. */
  readonly isForeign?: true;
}

/** The maximum size of the composer.json of a version: a document has those of all versions. */
const manifestBytesMax = 256_000;

/**
 * The parts of the index entry of a version: its composer.json, the SHA-1 of its file, if that is known, and what distinguishes the
 * file from any other. Throws PACKAGE_INVALID if they are too large.
 */
export const partsOf = (manifest: PackageManifest, { sha1 = '', sha256 }: FileHashes): readonly string[] => {
  const text = JSON.stringify(manifest);
  requireSize('The composer.json of the version', text, manifestBytesMax);
  return [text, sha1, sha1 || sha256];
};

/** The versions of a local repository. */
export const localVersions = ({ entries }: LoadedIndex): readonly ComposerVersion[] =>
  Array.from(entries.values(), ({ version, parts: [text = '{}', shasum = '', reference = ''] }) => {
    const fields = JSON.parse(text) as PackageManifest;
    const dist = { type: 'zip', file: publishedFile(fields.name, version), reference, shasum };
    return { version, normalized: fields.version_normalized, fields, dist };
  });
