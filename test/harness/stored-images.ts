import type { LoadedIndex } from '../../shared/packages/index/package-index.ts';
import { neededBy } from '../../shared/packages/loose-files/loose-files.ts';
import { noVersion, type PackageFile } from '../../shared/table/packages/packages.ts';

/**
 * What is wrong with the files of a package that belong to no version: a manifest names one that is not there, or the sweeper
 * will never look at one that nothing names. `isQueued` says whether it will look at the package.
 */
export const brokenLooseFiles = (
  what: string,
  files: readonly PackageFile[],
  index: LoadedIndex | undefined,
  isQueued: boolean,
): string[] => {
  const loose = new Set(files.filter(({ version }) => version === noVersion).map(({ file }) => file));
  const entries = [...(index?.entries ?? [])];
  const isOfImage = entries.some(([version]) => version.startsWith('sha256:'));
  const needed = new Set(isOfImage ? entries.flatMap(([, entry]) => neededBy(entry)) : []);
  const manifests = new Set(entries.map(([version]) => version));
  return [
    ...[...needed]
      .filter((digest) => !loose.has(digest) && !manifests.has(digest))
      .map((digest) => `lost: ${what} needs ${digest}`),
    ...(isQueued ? [] : [...loose].filter((digest) => !needed.has(digest))).map(
      (digest) => `garbage: the sweeper will never look at ${digest} of ${what}`,
    ),
  ];
};
