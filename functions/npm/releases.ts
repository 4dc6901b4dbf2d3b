// What the check of a version loads of the type.
export { versionReleases } from './upstream-documents.ts';
