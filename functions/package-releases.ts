import type { PackageType } from '../shared/package-types.ts';
import type {
  CheckedReleases,
  PackageTypeDefinition,
  PackageTypeModule,
} from '../shared/packages/types/package-type.ts';
import * as packageTypes from './package-types.ts';

const modules: readonly PackageTypeModule[] = Object.values(packageTypes);

/** Loads what upstreams of a package type say of versions; undefined if no gate holds back versions of the type. */
export const findReleases = async (
  packageType: PackageType,
): Promise<(CheckedReleases & { readonly definition: PackageTypeDefinition }) | undefined> => {
  const found = modules.find(({ definition: { name } }) => name === packageType);
  return found?.releases && { definition: found.definition, ...(await found.releases()) };
};
