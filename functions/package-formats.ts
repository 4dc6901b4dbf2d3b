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

/** Loads the format of a package type. Throws PACKAGE_INVALID if only clients of the type can publish. */
export const formatOf = async (packageType: PackageType): Promise<FileType> => {
  const found = modules.find(({ definition: { name } }) => name === packageType);
  if (found && 'format' in found) return { definition: found.definition, format: await found.format() };
  throw new ApiError(
    'PACKAGE_INVALID',
    found?.definition.publishing.refusal ??
      `Packages of the type ${packageType} cannot be published to this service yet.`,
  );
};
