// What upstreams of the type say of versions, for checks and lists.
export { packageReleases, versionReleases } from './upstream-documents.ts';
export { order } from './versions.ts';
