import { ApiError } from '../shared/errors.ts';
import type { PackageType } from '../shared/package-types.ts';
import type { PackageFormat } from '../shared/packages/formats/package-format.ts';
import type {
  PackageTypeDefinition,
  PackageTypeModule,
  PackageTypeModules,
} from '../shared/packages/types/package-type.ts';
import * as packageTypes from './package-types.ts';

const modules: PackageTypeModules<typeof packageTypes> = packageTypes;

/** A package type whose files can be published without a client of theirs. */
export interface FileType {
  readonly definition: PackageTypeDefinition;
  readonly format: PackageFormat;
}

const moduleOf = (packageType: PackageType): PackageTypeModule => modules[packageType];

const load = async ({ definition, format }: Extract<PackageTypeModule, { format: unknown }>): Promise<FileType> => ({
  definition,
  format: await format(),
});

/** Loads the format of a package type; undefined if only clients of the type can publish. */
export const findFormat = async (packageType: PackageType): Promise<FileType | undefined> => {
  const found = moduleOf(packageType);
  return 'format' in found ? load(found) : undefined;
};

/** The same. Throws PACKAGE_INVALID if only clients of the type can publish. */
export const formatOf = async (packageType: PackageType): Promise<FileType> => {
  const found = moduleOf(packageType);
  if (!('format' in found)) throw new ApiError('PACKAGE_INVALID', found.definition.publishing.refusal);
  return load(found);
};
