import type { ReleaseOf } from './gated-file.ts';
import type { PackageReleases, VersionReleases } from './version-releases.ts';

// What upstreams say of versions, of a type without a gate: verdicts alone decide, about whatever they name.

export const releaseOf: ReleaseOf = async (_request, _source, { version }) => ({ id: version, version });

export const packageReleases: PackageReleases = async () => [];

export const versionReleases: VersionReleases = async (_request, _source, { version }) => [{ id: version, version }];
