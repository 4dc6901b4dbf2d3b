import { textElement } from '../../shared/packages/formats/xml.ts';
import type { LoadedIndex } from '../../shared/packages/index/package-index.ts';
import { latestElements, type MavenMetadata } from './metadata.ts';
import { idsOf, isSnapshot } from './paths.ts';
import { snapshotElement, snapshotVersionElements, withFile } from './snapshot-files.ts';
import { type SnapshotFile, snapshotFileOf } from './snapshot-names.ts';
import { sortVersions } from './versions.ts';

/** A time as metadata contain it, in UTC. */
const stampOf = (time: Date): string => time.toISOString().replaceAll(/[-:T]|\..*/g, '');

type Entries = Pick<LoadedIndex, 'entries'>;

/** Files of a version, by their names. */
interface VersionFiles {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
}

/** What the entry of a release says after its time: whether its POM is there. Older entries do not say it. */
const [withPom, withoutPom] = ['pom', 'no pom'] as const;

const hasPom = ({ name, version, files }: VersionFiles): boolean =>
  files.includes(`${idsOf(name).artifactId}-${version}.pom`);

/**
 * The parts of an index entry: the time of the last change, and of a release whether its POM is there, of a SNAPSHOT version the newest of each
 * kind of file, as JSON. Other files are not in the index.
 */
const partsWith = (added: VersionFiles, parts: readonly string[] = []): readonly string[] => {
  const { name, version, files } = added;
  const stamp = stampOf(new Date());
  if (!isSnapshot(version)) return [stamp, hasPom(added) ? withPom : withoutPom];
  let known = filesIn(parts);
  for (const file of files) known = withFile(known, snapshotFileOf(name, version, file));
  return [stamp, ...known.map((file) => JSON.stringify(file))];
};

const addedPartsOf = (added: VersionFiles) => {
  if (isSnapshot(added.version)) return { addedParts: (parts: readonly string[]) => partsWith(added, parts) };
  return hasPom(added) && { addedParts: partsWith(added) };
};

/** What a publication of these files says of the version. Its files come one by one. */
export const versionWith = (added: VersionFiles) => {
  const { name, version } = added;
  return { name, version, parts: partsWith(added), ...addedPartsOf(added) };
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

/**
 * The versions that clients can resolve: a deployment sends the POM of a release behind its jar, or never if it breaks off. Where no release is
 * known to have a POM, people publish without.
 */
const resolvable = ({ entries }: Entries): readonly string[] => {
  const all = Array.from(entries.values());
  const isKnown = all.some(({ parts }) => parts[1] === withPom);
  return all.filter(({ parts }) => !isKnown || parts[1] !== withoutPom).map(({ version }) => version);
};

/** The metadata of an artifact in a local repository. */
export const artifactMetadata = (name: string, index: Entries): MavenMetadata => {
  const versions = sortVersions(resolvable(index));
  const parts = Array.from(index.entries.values(), (entry) => entry.parts);
  return {
    ...empty,
    fields: ids(name),
    versioning: [...latestElements(versions), ...lastUpdated(parts)],
    versions,
  };
};

/** The metadata of a SNAPSHOT version in a local repository; undefined if there is no such version. */
export const snapshotMetadata = (name: string, version: string, { entries }: Entries): MavenMetadata | undefined => {
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
