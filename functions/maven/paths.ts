import { decodeSegments, isForbiddenSegment } from '../../shared/packages/sources/path-segments.ts';
import type { FileAddress } from '../../shared/packages/sources/resolution.ts';
import type { FileHashes } from '../../shared/store/hashes.ts';

/** A checksum that clients send and ask for beside each file. It is also the ending of its name. */
export type Checksum = keyof FileHashes;

/** The meaning of a path below `/maven/{workspace}/{repository}/`. */
export type MavenPath = { readonly checksum: Checksum | undefined } & (
  | ({ readonly kind: 'file' } & FileAddress)
  /** The metadata of an artifact, of a group of plugins, or of both: one path can mean either. */
  | { readonly kind: 'metadata'; readonly name: string | undefined; readonly group: string | undefined }
  /** The metadata of a SNAPSHOT version. */
  | { readonly kind: 'snapshot-metadata'; readonly name: string; readonly version: string }
);

/** The name of the file that lists versions, builds or plugins. */
export const metadataFile = 'maven-metadata.xml';

/** The ending of the name of a checksum. */
export const checksumEnding = /\.(md5|sha1|sha256|sha512)$/;

/** The characters of IDs (org.apache.maven.model.validation.DefaultModelValidator). A dot separates the segments of a group. */
const isGroupSegment = (text: string): boolean => !isForbiddenSegment(text) && /^[\w-]+$/.test(text);
const isArtifactId = (text: string): boolean => !isForbiddenSegment(text) && /^[\w.-]+$/.test(text);

/** Maven refuses these characters in a version, because some file systems do. */
const isVersion = (text: string): boolean => !isForbiddenSegment(text) && !/[/:"<>|?*]/.test(text);

/** Keys of the table contain the name, and version and file together; some characters take three bytes there. */
const keyBytesMax = 900;
const fitsKey = (text: string): boolean => Buffer.byteLength(text.replaceAll(/[%#]/g, '%25')) <= keyBytesMax;

/** Whether the files of a version may still change. */
export const isSnapshot = (version: string): boolean => version.endsWith('SNAPSHOT');

/** The name of a package. */
export const packageName = (groupId: string, artifactId: string): string => `${groupId}:${artifactId}`;

/** The group and the artifact of a package. */
export const idsOf = (name: string): { readonly groupId: string; readonly artifactId: string } => {
  const [groupId = '', artifactId = ''] = name.split(':');
  return { groupId, artifactId };
};

/** The path of a package, before its versions. Without a group, it is that of a group of one segment. */
export const packagePath = (name: string): string => {
  const { groupId, artifactId } = idsOf(name);
  return groupId === '' ? artifactId : `${groupId.replaceAll('.', '/')}/${artifactId}`;
};

/** The package with this group and this artifact in segments; undefined if they cannot be one. */
const nameOf = (segments: readonly string[]): string | undefined => {
  const [artifactId, group] = [segments.at(-1), segments.slice(0, -1)];
  if (artifactId === undefined || group.length === 0) return undefined;
  const isValid = group.every(isGroupSegment) && isArtifactId(artifactId);
  const name = packageName(group.join('.'), artifactId);
  return isValid && fitsKey(name) ? name : undefined;
};

/** Whether a package can have this name. */
export const isPackageName = (name: string): boolean => {
  const { groupId, artifactId } = idsOf(name);
  return packageName(groupId, artifactId) === name && nameOf([...groupId.split('.'), artifactId]) === name;
};

/** Whether a package can have this name, this version and a file of this name. */
export const isFileAddress = ({ name, version, file }: FileAddress): boolean =>
  isPackageName(name) &&
  isVersion(version) &&
  !isForbiddenSegment(file) &&
  !file.includes('/') &&
  fitsKey(version + file);

/** Parses a path exactly as the client sent it, still percent-encoded; undefined if it means nothing in a repository of Maven. */
export const parsePath = (rawPath: string): MavenPath | undefined => {
  const segments = decodeSegments(rawPath);
  const last = segments?.at(-1);
  if (!segments || last === undefined) return undefined;
  const checksum = checksumEnding.exec(last)?.[1] as Checksum | undefined;
  const file = checksum === undefined ? last : last.slice(0, -checksum.length - 1);
  // No client asks for the checksum of a checksum.
  if (file === '' || checksumEnding.test(file)) return undefined;
  const folders = segments.slice(0, -1);
  const path = file === metadataFile ? metadataPath(folders) : filePath(folders, file);
  return path && { ...path, checksum };
};

const metadataPath = (folders: readonly string[]) => {
  const version = folders.at(-1) ?? '';
  if (isSnapshot(version)) {
    const name = nameOf(folders.slice(0, -1));
    return name !== undefined && isVersion(version) && fitsKey(version)
      ? ({ kind: 'snapshot-metadata', name, version } as const)
      : undefined;
  }
  const name = nameOf(folders);
  const group = folders.length > 0 && folders.every(isGroupSegment) ? folders.join('.') : undefined;
  if (name === undefined && group === undefined) return undefined;
  return { kind: 'metadata', name, group: group !== undefined && fitsKey(group) ? group : undefined } as const;
};

const filePath = (folders: readonly string[], file: string) => {
  const name = nameOf(folders.slice(0, -1));
  const version = folders.at(-1) ?? '';
  const address = { name: name ?? '', version, file };
  return name !== undefined && isFileAddress(address) ? ({ kind: 'file', ...address } as const) : undefined;
};
