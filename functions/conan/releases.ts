// What the check of a version loads of the type.
export { versionReleases } from './gate.ts';
