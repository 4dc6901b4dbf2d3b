import { BoundedCache } from '../../bounded-cache.ts';
import {
  type Advisory,
  type AdvisoryEvent,
  type AdvisoryPage,
  levelOf,
  levels,
  type VersionOrder,
} from '../../table/repositories/advisories.ts';
import type { ReleaseGate } from '../../table/repositories/release-gate.ts';

/** The order of a version and a bound of a range: `0` is below every version, also below what is none. */
const compareWith = (version: string, bound: string, order: VersionOrder): number | undefined =>
  bound === '0' ? 1 : order(version, bound);

/** Whether the versions from an event on are affected, if it concerns a version that compares so with that of the event. */
const afterEvent = (kind: AdvisoryEvent[0], compared: number, before: boolean): boolean => {
  if (kind === 'introduced') return compared >= 0 || before;
  return kind === 'last_affected' ? compared <= 0 && before : compared < 0 && before;
};

/** The order of events: `0` is below every version. */
export const byVersion =
  (order: VersionOrder) =>
  ([, one]: AdvisoryEvent, [, other]: AdvisoryEvent): number =>
    Number(one !== '0') - Number(other !== '0') || (order(one, other) ?? 0);

/**
 * Whether a version is in a range: the last event at or below it decides (ossf.github.io/osv-schema, "Evaluation"). A range with a bound
 * that cannot be compared with the version says nothing of it.
 */
const isInRange = (events: readonly AdvisoryEvent[], version: string, order: VersionOrder): boolean => {
  let isIn = false;
  for (const [kind, bound] of events.toSorted(byVersion(order))) {
    const compared = compareWith(version, bound, order);
    if (compared === undefined) return false;
    isIn = afterEvent(kind, compared, isIn);
  }
  return isIn;
};

/** Whether an advisory is about a version, in whatever spelling. */
export const concerns = (
  { versions, ranges }: Pick<Advisory, 'versions' | 'ranges'>,
  version: string,
  order: VersionOrder,
): boolean =>
  versions.some((each) => each === version || order(each, version) === 0) ||
  ranges.some((events) => isInRange(events, version, order));

/** The least level that a gate blocks. */
const leastBlocked = ({ blockSeverity }: ReleaseGate): number => levels.indexOf(blockSeverity ?? 'malware');

/** Whether a gate blocks what has a level. */
export const blocksLevel = (gate: ReleaseGate, level: (typeof levels)[number]): boolean =>
  levels.indexOf(level) <= leastBlocked(gate);

/** The advisory that blocks a version, or any version if it is not known; undefined if none does. */
export type BlockedBy = (version: string | undefined) => Advisory | undefined;

/** What this process found out about versions, by their names: an index has thousands of them, and stays the same for most requests. */
const known = new BoundedCache<{ readonly text: string; readonly blocks: BlockedBy | undefined }>(500);

const blocksOf = (blocking: readonly Advisory[], order: VersionOrder): BlockedBy | undefined => {
  const found = new BoundedCache<Advisory | 'none'>(10_000);
  const decided = (version: string): Advisory | 'none' => {
    const before = found.get(version);
    if (before) return before;
    const advisory = blocking.find((each) => concerns(each, version, order)) ?? 'none';
    found.set(version, advisory);
    return advisory;
  };
  const by: BlockedBy = (version) => {
    if (version === undefined) return blocking[0];
    const advisory = decided(version);
    return advisory === 'none' ? undefined : advisory;
  };
  return blocking.length === 0 ? undefined : by;
};

/** What of these pages blocks versions in a repository with a gate; undefined if nothing does. */
export const blockedBy = (
  pages: readonly AdvisoryPage[],
  gate: ReleaseGate,
  order: VersionOrder,
): BlockedBy | undefined => {
  const [first] = pages;
  if (!first) return undefined;
  const key = `${first.packageType} ${first.name} ${gate.blockSeverity ?? 'malware'}`;
  const text = pages.map(({ list }) => list).join('\n');
  const before = known.get(key);
  if (before?.text === text) return before.blocks;
  const blocks = blocksOf(
    pages
      .flatMap(({ list }) => JSON.parse(list) as readonly Advisory[])
      .filter((each) => blocksLevel(gate, levelOf(each))),
    order,
  );
  known.set(key, { text, blocks });
  return blocks;
};
