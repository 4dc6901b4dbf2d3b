import type { AdvisoryEvent, VersionOrder } from '../../table/repositories/advisories.ts';
import { byVersion } from './advised-versions.ts';

/** Versions that an advisory is about: those from one on, up to another one. */
export interface AffectedInterval {
  /** Undefined: from the lowest version on. */
  readonly from: string | undefined;
  /** Undefined: up to the highest version. */
  readonly to: { readonly version: string; readonly isAffected: boolean } | undefined;
}

/** The affected versions of a range, the lowest first. A range with a bound that is no version of the type has none, as for a gate. */
export const affectedIntervals = (
  events: readonly AdvisoryEvent[],
  order: VersionOrder,
): readonly AffectedInterval[] => {
  if (events.some(([, bound]) => bound !== '0' && order(bound, bound) === undefined)) return [];
  const intervals: AffectedInterval[] = [];
  let begun: string | undefined;
  const end = (to: AffectedInterval['to']): void => {
    if (begun === undefined) return;
    const isEmpty = to !== undefined && !to.isAffected && order(begun, to.version) === 0;
    if (!isEmpty) intervals.push({ from: begun === '0' ? undefined : begun, to });
    begun = undefined;
  };
  for (const [kind, version] of events.toSorted(byVersion(order))) {
    if (kind === 'introduced') begun ??= version;
    else end({ version, isAffected: kind === 'last_affected' });
  }
  end(undefined);
  return intervals;
};
