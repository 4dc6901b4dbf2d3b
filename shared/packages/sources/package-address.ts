import { ApiError } from '../../errors.ts';
import { addressRootOf, type PackageType } from '../../package-types.ts';
import type { IdentityMap } from '../../table/identity-map.ts';
import type { Key } from '../../table/keys.ts';
import { indexHeadKey } from '../../table/packages/package-keys.ts';
import type { Repository } from '../../table/repositories/repositories.ts';
import { type NameSpelling, normalRules } from './name-rules.ts';
import { type FileAddress, keysOfFile } from './resolution.ts';
import { indexedContents, type Sources, sourceContents, sourceKeys, sourcesOf } from './sources.ts';

/** What is known of a request for packages before its first read. */
interface SourcesRequest {
  readonly params: { readonly repository: string };
  readonly workspaceId: string;
  readonly loaded: IdentityMap;
}

/** The keys that a request for packages adds to the first read: the repositories that the one in the path combines. */
export const alsoReadSources = ({ params, workspaceId, loaded }: SourcesRequest): readonly Key[] =>
  sourceKeys(workspaceId, params.repository, loaded);

/**
 * The same, and where a file may be: a download takes one round trip. A path that is the address of no file is refused once
 * access is decided.
 */
export const alsoReadFile =
  (addressOf: (path: string) => FileAddress | undefined) =>
  ({
    params,
    workspaceId,
    loaded,
  }: SourcesRequest & { readonly params: { readonly path: string } }): readonly Key[] => {
    const address = addressIn(params.path, addressOf);
    const contents = address ? sourceContents(workspaceId, params.repository, loaded) : [];
    return [
      ...sourceKeys(workspaceId, params.repository, loaded),
      ...contents.flatMap((contentId) => (address ? keysOfFile(contentId, address) : [])),
    ];
  };

/** An index that a path is about: that of a package; without a name, that of the whole repository. */
interface IndexAddress {
  readonly name?: string;
}

/**
 * The keys of the heads of an index in the repositories that the one in the path combines, for the first read: who has a document
 * of it already, or asks for one that this process has, is answered by that one read.
 */
export const alsoReadIndex =
  (addressOf: (path: string) => IndexAddress | undefined) =>
  ({
    params,
    workspaceId,
    loaded,
  }: SourcesRequest & { readonly params: { readonly path: string } }): readonly Key[] => {
    const address = addressIn(params.path, addressOf);
    const contents = address ? indexedContents(workspaceId, params.repository, loaded) : [];
    return [
      ...sourceKeys(workspaceId, params.repository, loaded),
      ...contents.map((contentId) => indexHeadKey({ contentId, ...address })),
    ];
  };

/** Both: a path is the address of a file, or is about an index. */
export const alsoReadFileOrIndex = (
  fileIn: (path: string) => FileAddress | undefined,
  indexIn: (path: string) => IndexAddress | undefined,
) => {
  const [readFile, readIndex] = [alsoReadFile(fileIn), alsoReadIndex(indexIn)];
  return (request: Parameters<typeof readFile>[0]): readonly Key[] => [...readFile(request), ...readIndex(request)];
};

const addressIn = <Address>(path: string, addressOf: (path: string) => Address | undefined): Address | undefined => {
  try {
    return addressOf(path);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
};

/** Refuses a repository of another package type with REPOSITORY_NOT_FOUND. Who gets here may see it, so the answer says where it is. */
export const requireType = (repository: Repository, packageType: PackageType): void => {
  if (repository.packageType === packageType) return;
  const [root, right] = [packageType, repository.packageType].map(addressRootOf);
  throw new ApiError(
    'REPOSITORY_NOT_FOUND',
    `'${repository.name}' is a repository of the type ${repository.packageType}: its addresses begin with ${right}, not with ${root}.`,
  );
};

/** The sources of the repository in the path, with its rules in the spelling of the type. Refuses a repository of another package type. */
export const addressedSources = (
  { repository, loaded }: { readonly repository: Repository; readonly loaded: IdentityMap },
  packageType: PackageType,
  spelling: NameSpelling,
): Sources => {
  requireType(repository, packageType);
  const sources = sourcesOf(repository, loaded);
  return { ...sources, upstreamNames: normalRules(spelling, sources.upstreamNames) };
};

/**
 * Decodes each segment of a percent-encoded path once. Undefined if a segment is empty, `.` or `..`, is not valid UTF-8,
 * contains a backslash or a character that nobody sees, begins or ends with a blank, or has more than 255 bytes.
 */
export const decodeSegments = (rawPath: string): readonly string[] | undefined => {
  const segments: string[] = [];
  for (const raw of rawPath.split('/')) {
    const segment = decoded(raw);
    if (segment === undefined || isForbiddenSegment(segment)) return undefined;
    segments.push(segment);
  }
  return segments;
};

const segmentBytesMax = 255;

/** Characters that nobody sees: with those that turn the direction of a text, `gpj.exe` reads as `exe.jpg`. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|^\s|\s$/u;

/** Whether a decoded segment could reach elsewhere, is no text, or looks like another one. */
export const isForbiddenSegment = (segment: string): boolean =>
  segment === '' ||
  segment === '.' ||
  segment === '..' ||
  segment.includes('\\') ||
  unseen.test(segment) ||
  !segment.isWellFormed() ||
  Buffer.byteLength(segment) > segmentBytesMax;

const decoded = (raw: string): string | undefined => {
  try {
    return decodeURIComponent(raw);
  } catch {
    return undefined;
  }
};
