import type { PackageType } from '../shared/package-types.ts';
import type {
  CheckedReleases,
  PackageTypeDefinition,
  PackageTypeModule,
  PackageTypeModules,
} from '../shared/packages/types/package-type.ts';
import * as packageTypes from './package-types.ts';

const modules: PackageTypeModules<typeof packageTypes> = packageTypes;

/** Loads what upstreams of a package type say of versions; undefined if no gate holds back versions of the type. */
export const findReleases = async (
  packageType: PackageType,
): Promise<(CheckedReleases & { readonly definition: PackageTypeDefinition }) | undefined> => {
  const { definition, releases }: PackageTypeModule = modules[packageType];
  const found = await releases?.();
  return found && { ...found, definition: { ...definition, ...(found.order && { order: found.order }) } };
};
