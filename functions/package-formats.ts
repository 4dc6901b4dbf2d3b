import { ApiError } from '../shared/errors.ts';
import type { PackageType } from '../shared/package-types.ts';
import type { PackageFormat } from '../shared/packages/formats/package-format.ts';
import type { PackageTypeDefinition, PackageTypeModule } from '../shared/packages/types/package-type.ts';
import * as packageTypes from './package-types.ts';

const modules: readonly PackageTypeModule[] = Object.values(packageTypes);

/** A package type whose files can be published without a client of theirs. */
export interface FileType {
  readonly definition: PackageTypeDefinition;
  readonly format: PackageFormat;
}

const moduleOf = (packageType: PackageType): PackageTypeModule | undefined =>
  modules.find(({ definition: { name } }) => name === packageType);

/** Loads the format of a package type; undefined if only clients of the type can publish. */
export const findFormat = async (packageType: PackageType): Promise<FileType | undefined> => {
  const found = moduleOf(packageType);
  return found && 'format' in found ? { definition: found.definition, format: await found.format() } : undefined;
};

const refusalOf = (packageType: PackageType): string => {
  const found = moduleOf(packageType);
  return found && !('format' in found)
    ? found.definition.publishing.refusal
    : `Packages of the type ${packageType} cannot be published to this service yet.`;
};

/** The same. Throws PACKAGE_INVALID if only clients of the type can publish. */
export const formatOf = async (packageType: PackageType): Promise<FileType> => {
  const found = await findFormat(packageType);
  if (!found) throw new ApiError('PACKAGE_INVALID', refusalOf(packageType));
  return found;
};
