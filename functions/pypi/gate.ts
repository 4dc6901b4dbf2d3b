import type { IndexGate } from '../../shared/packages/gate/gated-index.ts';
import { millisecondsOf, type Release } from '../../shared/packages/releases/gate-of.ts';
import { addressVersion } from './filenames.ts';
import type { ProjectFile, ProjectFiles } from './project-files.ts';
import { normalVersion } from './versions.ts';

/** The files of a project. Each has a time of its own (PEP 700), because files are added to old versions. */
export const releasesOf =
  (name: string) =>
  ({ files }: ProjectFiles): readonly Release[] =>
    files.map((file) => ({
      id: file.filename,
      version: addressVersion(file.filename, name),
      publishedAt: millisecondsOf(file['upload-time']),
    }));

/** The versions that have files, and those that had none before. */
const shownVersions = (
  name: string,
  { versions, files }: ProjectFiles,
  left: readonly ProjectFile[],
): readonly string[] | undefined => {
  const versionsOf = (some: readonly ProjectFile[]) =>
    new Set(some.map(({ filename }) => addressVersion(filename, name)));
  const [before, after] = [versionsOf(files), versionsOf(left)];
  const isShown = (version: string): boolean => !before.has(version) || after.has(version);
  return versions?.filter((version) => isShown(normalVersion(version) ?? version));
};

/** How the page of a project loses what a gate holds back. */
export const projectGate = (name: string): IndexGate<ProjectFiles> => ({
  releases: releasesOf(name),
  without: (page, held) => {
    const files = page.files.filter(({ filename }) => !held.has(filename));
    return { ...page, files, versions: shownVersions(name, page, files) };
  },
});
