import type { PackageType } from '../../shared/package-types.ts';
import { definitions } from '../package-definitions.ts';
import type { AdvisedType } from './osv-entry.ts';

/** The package types with advisories. */
export const advisedTypes: readonly AdvisedType[] = definitions.flatMap(
  ({ name, spelling, ecosystem, listsAdvisories }) =>
    ecosystem === undefined ? [] : [{ name, spelling, ecosystem, ...(listsAdvisories && { listsAdvisories }) }],
);

/** A package type with advisories. */
export const advisedType = (packageType: PackageType): AdvisedType => {
  const found = advisedTypes.find(({ name }) => name === packageType);
  if (!found) throw new Error(`There are no advisories on packages of the type ${packageType}.`);
  return found;
};
