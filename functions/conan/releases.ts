// What upstreams of the type say of versions, for checks and lists.
export { packageReleases, versionReleases } from './gate.ts';
export { order } from './versions.ts';

export const hasOtherTimes = true;
