// What upstreams of the type say of versions, for checks and lists.

export { order } from '../../shared/packages/nupkg/versions.ts';
export { packageReleases, versionReleases } from '../../shared/packages/nupkg-protocol/upstream-packages.ts';
