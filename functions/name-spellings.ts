import type { PackageType } from '../shared/package-types.ts';
import type { NameSpelling } from '../shared/packages/sources/name-rules.ts';
import { spelling as cargo } from './cargo/spelling.ts';
import { spelling as docker } from './docker/spelling.ts';
import { spelling as go } from './go/spelling.ts';
import { spelling as helm } from './helm/spelling.ts';
import { spelling as maven } from './maven/spelling.ts';
import { spelling as npm } from './npm/spelling.ts';
import { spelling as pypi } from './pypi/spelling.ts';
import { spelling as universal } from './universal/spelling.ts';

/** How each package type that this service serves spells names: one line for each. */
const spellings: Readonly<Partial<Record<PackageType, NameSpelling>>> = {
  cargo,
  docker,
  go,
  helm,
  maven,
  npm,
  pypi,
  universal,
};

/** The spelling of a package type; undefined if the service only manages repositories of this type. */
export const spellingOf = (packageType: PackageType): NameSpelling | undefined => spellings[packageType];
