import { textElement } from '../../shared/packages/formats/xml.ts';
import type { LoadedIndex } from '../../shared/packages/index/package-index.ts';
import { latestElements, type MavenMetadata } from './metadata.ts';
import { idsOf, isSnapshot } from './paths.ts';
import { snapshotElement, snapshotVersionElements, withFile } from './snapshot-files.ts';
import { type SnapshotFile, snapshotFileOf } from './snapshot-names.ts';
import { sortVersions } from './versions.ts';

/** A time as metadata contain it, in UTC. */
const stampOf = (time: Date): string => time.toISOString().replaceAll(/[-:T]|\..*/g, '');

/** Files of a version, by their names. */
interface VersionFiles {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
}

/**
 * The parts of an index entry: the time of the last change, and the newest of each kind of file of a SNAPSHOT version, as JSON.
 * Other files are not in the index.
 */
const partsWith = ({ name, version, files }: VersionFiles, parts: readonly string[] = []): readonly string[] => {
  let known = filesIn(parts);
  for (const file of files) known = withFile(known, snapshotFileOf(name, version, file));
  return [stampOf(new Date()), ...known.map((file) => JSON.stringify(file))];
};

/** What a publication of these files says of the version. Its files come one by one. */
export const versionWith = (added: VersionFiles) => {
  const { name, version } = added;
  return {
    name,
    version,
    parts: partsWith(added),
    ...(isSnapshot(version) && { addedParts: (parts: readonly string[]) => partsWith(added, parts) }),
  };
};

const filesIn = ([, ...files]: readonly string[]): readonly SnapshotFile[] =>
  files.map((file) => JSON.parse(file) as SnapshotFile);

const lastUpdated = (parts: readonly (readonly string[])[]) => {
  const newest = parts
    .map(([stamp = '']) => stamp)
    .toSorted()
    .at(-1);
  return newest === undefined ? [] : [textElement('lastUpdated', newest)];
};

const ids = (name: string) => {
  const { groupId, artifactId } = idsOf(name);
  return [textElement('groupId', groupId), textElement('artifactId', artifactId)];
};

const empty = { attributes: {}, versions: [], snapshotVersions: [], plugins: [] } as const;

/** The metadata of an artifact in a local repository. */
export const artifactMetadata = (name: string, { entries }: LoadedIndex): MavenMetadata => {
  const versions = sortVersions(entries.keys());
  const parts = Array.from(entries.values(), (entry) => entry.parts);
  return {
    ...empty,
    fields: ids(name),
    versioning: [...latestElements(versions), ...lastUpdated(parts)],
    versions,
  };
};

/** The metadata of a SNAPSHOT version in a local repository; undefined if there is no such version. */
export const snapshotMetadata = (
  name: string,
  version: string,
  { entries }: LoadedIndex,
): MavenMetadata | undefined => {
  const parts = entries.get(version)?.parts;
  if (!parts) return undefined;
  const files = filesIn(parts);
  const snapshot = snapshotElement(files);
  return {
    ...empty,
    attributes: { modelVersion: '1.1.0' },
    fields: [...ids(name), textElement('version', version)],
    versioning: [...(snapshot ? [snapshot] : []), ...lastUpdated([parts])],
    snapshotVersions: snapshotVersionElements(files),
  };
};
