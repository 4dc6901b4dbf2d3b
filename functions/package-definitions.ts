import type { PackageType } from '../shared/package-types.ts';
import type {
  PackageTypeDefinition,
  PackageTypeModule,
  PackageTypeModules,
} from '../shared/packages/types/package-type.ts';
import * as packageTypes from './package-types.ts';

const modules: PackageTypeModules<typeof packageTypes> = packageTypes;

/** The package types, in the order of their names. */
export const definitions: readonly PackageTypeDefinition[] = Object.values<PackageTypeModule>(modules)
  .map(({ definition }) => definition)
  .toSorted((one, other) => (one.name < other.name ? -1 : 1));

/** The package types of which verdicts can block versions: those that say what upstreams say of them. */
export const ruledTypes = (): readonly PackageType[] =>
  Object.values<PackageTypeModule>(modules).flatMap((module) => ('releases' in module ? module.definition.name : []));

/** The definition of a package type. */
export const definitionOf = (packageType: PackageType): PackageTypeDefinition => modules[packageType].definition;
