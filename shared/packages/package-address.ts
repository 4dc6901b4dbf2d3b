import { ApiError } from '../errors.ts';
import type { PackageType } from '../package-types.ts';
import type { IdentityMap } from '../table/identity-map.ts';
import type { Key } from '../table/keys.ts';
import type { Repository } from '../table/repositories.ts';
import { type Sources, sourceKeys, sourcesOf } from './sources.ts';

/** What every request for packages reads beside what decides access: the repositories behind the one in its path. */
export const alsoReadSources = ({
  params,
  workspaceId,
  loaded,
}: {
  readonly params: { readonly repository: string };
  readonly workspaceId: string;
  readonly loaded: IdentityMap;
}): readonly Key[] => sourceKeys(workspaceId, params.repository, loaded);

/** Refuses a repository of another package type: its address names no such repository. */
export const demandType = (repository: Repository, packageType: PackageType): void => {
  if (repository.packageType !== packageType) throw new ApiError('REPOSITORY_NOT_FOUND');
};

/** The sources of the repository in the path. */
export const addressedSources = (
  { repository, loaded }: { readonly repository: Repository; readonly loaded: IdentityMap },
  packageType: PackageType,
): Sources => {
  demandType(repository, packageType);
  return sourcesOf(repository, loaded);
};

/**
 * Decodes the segments of a path that was cut out as it was sent: each once. What could reach elsewhere, or is no text, is
 * refused, before the grammar of the type sees it.
 */
export const decodeSegments = (rawPath: string): readonly string[] | undefined => {
  const segments: string[] = [];
  for (const raw of rawPath.split('/')) {
    const segment = decoded(raw);
    if (segment === undefined || isForbidden(segment)) return undefined;
    segments.push(segment);
  }
  return segments;
};

const segmentBytesMax = 255;

const isForbidden = (segment: string): boolean =>
  segment === '' ||
  segment === '.' ||
  segment === '..' ||
  /[\p{Cc}\\]/u.test(segment) ||
  !segment.isWellFormed() ||
  Buffer.byteLength(segment) > segmentBytesMax;

const decoded = (raw: string): string | undefined => {
  try {
    return decodeURIComponent(raw);
  } catch {
    return undefined;
  }
};
