import type { RemoteSource } from '../../table/repositories/verdicts.ts';
import type { Release } from '../releases/gate-of.ts';
import type { FetchRequest } from '../upstream/upstream-request.ts';
import type { ReleaseOf } from './gated-file.ts';

/** A version of a package, in the spelling of its type. */
export interface NamedVersion {
  readonly name: string;
  readonly version: string;
}

/**
 * What the index of an upstream says of a version: one release, or one of each of its files where they have times of their own. Empty if
 * the upstream does not list it. Throws as `loadDocument`.
 */
export type VersionReleases = (
  request: FetchRequest,
  source: RemoteSource,
  version: NamedVersion,
) => Promise<readonly Release[]>;

/** The same of a type whose index lists versions, not files. */
export const onePerVersion =
  (releaseOf: (...of: Parameters<ReleaseOf>) => Promise<Release | undefined>): VersionReleases =>
  async (request, source, version) => {
    const release = await releaseOf(request, source, { ...version, file: '' });
    return release ? [release] : [];
  };
