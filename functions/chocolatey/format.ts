import type { PackageFormat } from '../../shared/packages/formats/package-format.ts';
import { nupkgFormat } from '../../shared/packages/nupkg/format.ts';
import { readmeOrDescription } from '../../shared/packages/nupkg/readme.ts';

/** A package from `choco pack`. */
export const chocolateyFormat: PackageFormat = {
  ...nupkgFormat,
  readme: [{ file: /\.nupkg$/i, read: readmeOrDescription }],
};
