// What the check of a version loads of the type.
export { versionReleases } from '../../shared/packages/nupkg-protocol/upstream-packages.ts';
