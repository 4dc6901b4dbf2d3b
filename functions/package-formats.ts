import { ApiError } from '../shared/errors.ts';
import type { PackageType } from '../shared/package-types.ts';
import type { PackageFormat } from '../shared/packages/package-format.ts';

/**
 * The package types whose files can be published without a client of theirs: one line for each. Each format is loaded when it
 * is needed first, because a request needs only one of them, and all of them would cost each cold start.
 */
const formats: Readonly<Partial<Record<PackageType, () => Promise<PackageFormat>>>> = {
  npm: async () => (await import('./npm/format.ts')).npmFormat,
  universal: async () => (await import('./universal/format.ts')).universalFormat,
};

/** The format of a package type. Throws PACKAGE_INVALID if packages of the type cannot be published. */
export const formatOf = async (packageType: PackageType): Promise<PackageFormat> => {
  const load = formats[packageType];
  if (load) return load();
  throw new ApiError('PACKAGE_INVALID', `Packages of the type ${packageType} cannot be published to this service yet.`);
};
