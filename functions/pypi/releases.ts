// What upstreams of the type say of versions, for checks and lists.
export { packageReleases, versionReleases } from './upstream-pages.ts';
export { order } from './version-order.ts';
