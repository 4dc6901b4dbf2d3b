import type { RemoteSource } from '../../table/repositories/verdicts.ts';
import type { LoadedDocument } from '../fetch/remote-documents.ts';
import { type Decision, namesVersion, type Release } from '../releases/gate-of.ts';
import { withSeen } from '../releases/release-times.ts';
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
  (releaseOf: ReleaseOf): VersionReleases =>
  async (request, source, version) => {
    const release = await releaseOf(request, source, { ...version, file: '' });
    return release ? [release] : [];
  };

/** What the index of an upstream says of all versions of a package that it lists. Throws as `loadDocument`. */
export type PackageReleases = (
  request: FetchRequest,
  source: RemoteSource,
  name: string,
) => Promise<readonly Release[]>;

/** Those of one version, where the index says all of them. */
export const amongAll =
  (packageReleases: PackageReleases): VersionReleases =>
  async (request, source, { name, version }) =>
    (await packageReleases(request, source, name)).filter((release) =>
      namesVersion(version, release.version, source.versionSpelling),
    );

/** What upstreams of a package type say of versions. */
export interface UpstreamReleases {
  readonly versionReleases: VersionReleases;
  readonly packageReleases: PackageReleases;
  /** Set if an index does not know the times of all that it lists, so that other documents say that of one version. */
  readonly hasOtherTimes?: true;
  /** What verdicts decide about a version, of a type whose packages have several names; absent where a name is the only one. */
  readonly rulingOn?: (source: RemoteSource, name: string, version: string) => Decision | undefined;
  /** The same of what may lead to a version at the upstream, such as a tag. Throws as `loadDocument`. */
  readonly rulingAtUpstream?: (
    request: FetchRequest,
    source: RemoteSource,
    version: NamedVersion,
  ) => Promise<Decision | undefined>;
}

/** What a document says of all that it lists. */
export const listedReleases = async <D>(
  loaded: LoadedDocument<D> | undefined,
  releases: ((document: D) => Iterable<Release>) | undefined,
): Promise<readonly Release[]> =>
  loaded ? (loaded.releases ?? withSeen(releases?.(await loaded.read()) ?? [], loaded.times)) : [];
