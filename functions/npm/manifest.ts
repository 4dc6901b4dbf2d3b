import { isObject, type JsonObject, without } from '../../shared/packages/formats/json-objects.ts';
import { hashesOfIntegrity, integrityOf } from './integrity.ts';

/** The manifest of one version: its package.json, and the members that the registry adds. */
export type Manifest = JsonObject & { readonly name: string; readonly version: string };

/**
 * The members that an installation needs (npm/registry, docs/responses/package-metadata.md, and what npmjs.org sends
 * today).
 */
const abbreviatedFields = [
  'name',
  'version',
  'deprecated',
  'dependencies',
  'optionalDependencies',
  'devDependencies',
  'bundleDependencies',
  'bundledDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'acceptDependencies',
  'bin',
  'directories',
  'dist',
  'engines',
  'cpu',
  'os',
  'libc',
  'funding',
  '_hasShrinkwrap',
  'hasInstallScript',
] as const;

/** The scripts that an installation runs. */
export const installScripts = ['preinstall', 'install', 'postinstall'] as const;

/** Whether an installation runs scripts of the package. */
export const runsAtInstallation = ({ scripts }: JsonObject): boolean =>
  isObject(scripts) && installScripts.some((name) => Object.hasOwn(scripts, name));

/** The abbreviated form of a manifest. */
export const abbreviated = (manifest: JsonObject): JsonObject => {
  const fields = abbreviatedFields.filter((field) => Object.hasOwn(manifest, field));
  const picked = Object.fromEntries(fields.map((field) => [field, manifest[field]]));
  return picked.hasInstallScript === undefined && runsAtInstallation(manifest)
    ? { ...picked, hasInstallScript: true }
    : picked;
};

/**
 * The manifest with the hashes of its tarball, given in hexadecimal. The integrity text of the publisher stays if it
 * contains SHA-512.
 */
export const withHashes = (manifest: Manifest, { sha1, sha512 }: { sha1: string; sha512: string }): Manifest => {
  const dist = isObject(manifest.dist) ? manifest.dist : {};
  const isSufficient = hashesOfIntegrity(dist.integrity).some(({ algorithm }) => algorithm === 'sha512');
  const integrity = isSufficient ? dist.integrity : integrityOf({ algorithm: 'sha512', hex: sha512 });
  return { ...manifest, dist: { ...dist, integrity, shasum: sha1 } };
};

/** The manifest with a deprecation message. An empty message ends the deprecation. */
export const withDeprecation = (manifest: Manifest, message: string): Manifest => {
  const { name, version } = manifest;
  return { ...without(manifest, 'deprecated'), name, version, ...(message !== '' && { deprecated: message }) };
};

/** What the registry finds in a tarball. */
export interface TarballFacts {
  readonly fileCount: number;
  readonly unpackedSize: number;
  /** npm does not look for `npm-shrinkwrap.json`: it uses the file only if the manifest says that there is one. */
  readonly hasShrinkwrap: boolean;
}

/** The manifest with the findings of its tarball. */
export const withFacts = (manifest: Manifest, { fileCount, unpackedSize, hasShrinkwrap }: TarballFacts): Manifest => ({
  ...manifest,
  _hasShrinkwrap: hasShrinkwrap,
  dist: { ...(isObject(manifest.dist) && manifest.dist), fileCount, unpackedSize },
});
