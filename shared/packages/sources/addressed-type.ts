import type { PackageType } from '../../package-types.ts';
import type { VersionOrder } from '../../table/repositories/advisories.ts';
import type { NameSpelling } from './name-rules.ts';
import type { TypeFacts } from './type-facts.ts';

/** What of a package type its addresses need. */
export interface AddressedType extends Pick<TypeFacts, 'root'> {
  readonly name: PackageType;
  readonly spelling: NameSpelling;
  /** Of a type with advisories, for who asks its release gates. */
  readonly order?: VersionOrder;
}
