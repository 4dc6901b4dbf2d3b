import type { IdentityMap } from '../../table/identity-map.ts';
import type { Key } from '../../table/keys.ts';
import {
  type AdvisoryPage,
  type AdvisoryReads,
  levels,
  type VersionOrder,
} from '../../table/repositories/advisories.ts';
import { advisoryPageKey } from '../../table/repositories/advisory-keys.ts';
import type { ReleaseGate } from '../../table/repositories/release-gate.ts';
import type { RemoteRepository } from '../../table/repositories/repositories.ts';

type Gated = Pick<RemoteRepository, 'packageType' | 'releaseGate'>;

/** The last of the levels that a gate blocks. */
const leastOf = (gate: Gated['releaseGate']): number => levels.indexOf(gate?.blockSeverity ?? 'malware');

/** The one of these gates that blocks the most by advisories. */
export const strictestOf = (gates: readonly Gated['releaseGate'][]): ReleaseGate | undefined =>
  gates.flatMap((gate) => gate ?? []).toSorted((one, other) => leastOf(other) - leastOf(one))[0];

/** The same among those of a mode. */
export const strictestGate = (sources: readonly Gated[], mode: ReleaseGate['mode']): ReleaseGate | undefined =>
  strictestOf(sources.map(({ releaseGate }) => (releaseGate?.mode === mode ? releaseGate : undefined)));

/** The keys of the pages on a name that the gate of a repository asks for, as far as the items in `loaded` lead: the first page says what the others have. */
export const advisoryKeys = (
  { packageType, releaseGate }: Gated,
  name: string,
  loaded: IdentityMap,
): readonly Key<AdvisoryPage>[] => {
  const first = advisoryPageKey(packageType, name, 0);
  const least = leastOf(releaseGate);
  const further = (loaded.find(first)?.further ?? []).flatMap((level, at) =>
    levels.indexOf(level) <= least ? advisoryPageKey(packageType, name, at + 1) : [],
  );
  return [first, ...further];
};

/** The advisories that a request with these items reads for a repository. */
export const advisoryReads = (source: Gated, order: VersionOrder, loaded: IdentityMap): AdvisoryReads => ({
  order,
  read: async (table, name) => {
    while (loaded.missing(advisoryKeys(source, name, loaded)).size > 0)
      await table.read(advisoryKeys(source, name, loaded), loaded);
  },
  find: (name) => advisoryKeys(source, name, loaded).flatMap((key) => loaded.find(key) ?? []),
});
