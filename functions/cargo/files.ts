import { ApiError } from '../../shared/errors.ts';
import type { FileAddress } from '../../shared/packages/sources/resolution.ts';
import { isCrateName, packageNameOf } from './names.ts';
import { isVersion, versionOf } from './versions.ts';

/** The address of the file of a version. All spellings of the crate, and all build metadata of the version, lead to one. */
export const crateFile = (crate: string, vers: string): FileAddress => {
  const [name, version] = [packageNameOf(crate), versionOf(vers)];
  return { name, version, file: `${name}-${version}.crate` };
};

/** The parameters of a path that names a version of a crate. */
export interface VersionParams {
  readonly crate: string;
  readonly version: string;
}

/** The error for a version that a repository does not have. */
export const missingVersion = ({ crate, version }: VersionParams): ApiError =>
  new ApiError(
    'VERSION_NOT_FOUND',
    `There is no version '${version.slice(0, 100)}' of a crate '${crate.slice(0, 100)}'.`,
  );

/** The address of the file of the version in a path. Throws VERSION_NOT_FOUND if it names none. */
export const crateFileOf = ({ crate, version }: VersionParams): FileAddress => {
  if (isCrateName(crate) && isVersion(version)) return crateFile(crate, version);
  throw missingVersion({ crate, version });
};
