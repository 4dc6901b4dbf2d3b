import type { PackageType } from '../shared/package-types.ts';
import type { PackageTypeDefinition, PackageTypeModule } from '../shared/packages/types/package-type.ts';
import * as packageTypes from './package-types.ts';

const modules: Readonly<Record<string, Pick<PackageTypeModule, 'definition'>>> = packageTypes;

/** The package types that this service serves, in the order of their names. */
export const definitions: readonly PackageTypeDefinition[] = Object.values(modules)
  .map(({ definition }) => definition)
  .toSorted((one, other) => (one.name < other.name ? -1 : 1));

/** The package types of which verdicts can block versions: those that say what upstreams say of them. */
export const ruledTypes = (): readonly PackageType[] =>
  Object.values<PackageTypeModule>(packageTypes).flatMap((module) =>
    'releases' in module ? module.definition.name : [],
  );

/** The definition of a package type; undefined if this service only manages repositories of this type. */
export const definitionOf = (packageType: PackageType | undefined): PackageTypeDefinition | undefined =>
  definitions.find(({ name }) => name === packageType);
