// What upstreams of the type say of versions, for checks and lists: nothing.
export { packageReleases, versionReleases } from '../../shared/packages/gate/untimed-releases.ts';
