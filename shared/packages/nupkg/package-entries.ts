import { requireSize } from '../index/entry-bounds.ts';
import type { LoadedIndex } from '../index/package-index.ts';
import type { PackageMetadata } from './nuspec.ts';
import { compareVersions, type NupkgVersion, normalVersion, parseVersion } from './versions.ts';

/** A version of a package, as an index has it. */
export interface NupkgEntry extends PackageMetadata {
  /** Whether searches show the version. One that is not listed still installs. */
  readonly listed: boolean;
  /** When it was published, by ISO 8601; undefined if an upstream does not say. */
  readonly published?: string;
  /** When an upstream got it, of a version whose time of publication says that it is not listed. */
  readonly created?: string;
  /** The size of its file in bytes. */
  readonly packageSize?: number;
  /** The SHA-512 of its file in hex. */
  readonly sha512?: string;
  /** Where an upstream has its file. */
  readonly content?: string;
  /** The number of downloads of which an upstream knows. */
  readonly downloads?: number;
  readonly deprecation?: unknown;
  readonly vulnerabilities?: unknown;
}

/** The maximum size of what an index says of one version. */
const entryBytesMax = 256_000;

/** The parts of the index entry of a version. Throws PACKAGE_INVALID if it is too large. */
export const partsOf = (entry: NupkgEntry): readonly string[] => {
  const text = JSON.stringify(entry);
  requireSize('The nuspec of the package, with its description, dependencies and release notes,', text, entryBytesMax);
  return [text];
};

/** The entry in the parts of an index. */
export const entryOf = ([text = '{}']: readonly string[]): NupkgEntry => JSON.parse(text) as NupkgEntry;

/** The parts of a version that is listed, or no longer; undefined if it is so already. */
export const withListed = (parts: readonly string[], listed: boolean): readonly string[] | undefined => {
  const entry = entryOf(parts);
  return entry.listed === listed ? undefined : [JSON.stringify({ ...entry, listed }), ...parts.slice(1)];
};

/** The entries of a local repository. All have the ID as the first of them spelled it. */
export const localEntries = ({ head, entries }: LoadedIndex): readonly NupkgEntry[] =>
  Array.from(entries.values(), ({ parts }) => ({ ...entryOf(parts), id: head.displayName }));

/** An entry with its parsed version. */
export interface OrderedEntry extends NupkgEntry {
  readonly parsed: NupkgVersion;
  /** The version in its normal form, in lower case. */
  readonly key: string;
}

/** The entries of several indexes as one, the lowest version first. Each version comes from the first index that has it. */
export const mergeEntries = (indexes: readonly (readonly NupkgEntry[])[]): readonly OrderedEntry[] => {
  const merged = new Map<string, OrderedEntry>();
  const id = indexes.flat()[0]?.id;
  for (const entry of indexes.flat()) {
    const [parsed, key] = [parseVersion(entry.version), normalVersion(entry.version)];
    if (parsed && key !== undefined && id !== undefined && !merged.has(key))
      merged.set(key, { ...entry, id, parsed, key });
  }
  return [...merged.values()].toSorted((one, other) => compareVersions(one.parsed, other.parsed));
};
