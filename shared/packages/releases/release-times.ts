import { firstSeen, keptTime, type ReleaseTimes } from '../../table/packages/release-times.ts';
import { cutoffOf, type Release } from './gate-of.ts';
import type { OpenGate } from './open-gate.ts';

/** The copy of a document before the one that arrives. */
export interface EarlierReleases extends Partial<Pick<ReleaseTimes, 'seen' | 'seenFloor'>> {
  /** What it lists. */
  readonly all: Iterable<Pick<Release, 'id' | 'publishedAt'>>;
}

/** The longest time for which a gate may hold a release back, in milliseconds. */
export const longestHold = 8_760 * 3_600_000;

/** At most so many times are kept with a document, the latest ones. */
const seenMax = 1_000;

/** The latest of these times that a gate may still ask for, and the latest of those that are too many. */
const bounded = (
  times: readonly (readonly [id: string, at: number])[],
  now: number,
  floor = 0,
): Pick<ReleaseTimes, 'seen' | 'seenFloor'> => {
  const asked = times.filter(([, at]) => at > now - longestHold).toSorted(([, one], [, other]) => other - one);
  const seenFloor = Math.max(asked[seenMax]?.[1] ?? 0, floor);
  return { seen: Object.fromEntries(asked.slice(0, seenMax)), ...(seenFloor > now - longestHold && { seenFloor }) };
};

const newestOf = (times: readonly number[]): number => times.reduce((one, other) => Math.max(one, other), 0);

/** Whether the time of a release depends on when it was first seen. */
export const isSeen = ({ publishedAt, isAuthorsTime }: Release): boolean =>
  publishedAt === undefined || isAuthorsTime === true;

/**
 * When releases were first seen: one that the earlier copy lacks, now. One that it has is old if its author wrote its time, and as old as it
 * was if it has lost its time.
 */
const seenOf = (releases: readonly Release[], earlier: EarlierReleases, now: number) => {
  const times = new Map(Array.from(earlier.all, ({ id, publishedAt = 0 }) => [id, publishedAt]));
  const found = releases.map(
    ({ id, publishedAt }) =>
      [id, keptTime(earlier.seen, id) ?? (publishedAt && times.has(id) ? 0 : (times.get(id) ?? now))] as const,
  );
  return bounded(found, now, earlier.seenFloor);
};

/** What to keep of the times of a document that arrives now. All that the first copy of it has is old. */
export const releaseTimesOf = (
  releases: Iterable<Release>,
  earlier: EarlierReleases | undefined,
  now: number,
): ReleaseTimes => {
  const all = [...releases];
  const seen: Pick<ReleaseTimes, 'seen' | 'seenFloor'> = earlier
    ? seenOf(all.filter(isSeen), earlier, now)
    : { seen: {} };
  const times = [...all.map(({ publishedAt = 0 }) => publishedAt), ...Object.values(seen.seen), seen.seenFloor ?? 0];
  return { newest: newestOf(times), isTimed: all.every(({ publishedAt }) => publishedAt !== undefined), ...seen };
};

/**
 * What to keep of the times of a list that only says what it lacked before. Each addition counts as published when it was first seen: the
 * documents about single packages may know better.
 */
export const additionTimes = (
  additions: Iterable<Release>,
  earlier: ReleaseTimes['seen'],
  now: number,
): ReleaseTimes => {
  const found = Array.from(additions, ({ id }) => [id, now] as const);
  // What went and came again counts from the first time: of two times of one release, `bounded` keeps the older.
  const { seen } = bounded([...Object.entries(earlier), ...found], now);
  return { newest: newestOf(Object.values(seen)), isTimed: true, seen };
};

/** The releases that such a list lacked at first, by their IDs: the name of a package, a space, and a version. */
export const addedReleases = (times: ReleaseTimes | undefined): readonly Release[] =>
  Object.entries(times?.seen ?? {}).map(([id, publishedAt]) => {
    const at = id.indexOf(' ');
    return { id, name: id.slice(0, at), version: id.slice(at + 1), publishedAt };
  });

/** The times of several documents that list the releases of one package together; undefined if those of one are not known. */
export const joinTimes = (all: readonly (ReleaseTimes | undefined)[]): ReleaseTimes | undefined => {
  const known = all.filter((times) => times !== undefined);
  if (known.length < all.length) return undefined;
  const seenFloor = newestOf(known.map((times) => times.seenFloor ?? 0));
  return {
    newest: newestOf(known.map(({ newest }) => newest)),
    isTimed: known.every(({ isTimed }) => isTimed),
    seen: Object.assign({}, ...known.map(({ seen }) => seen)) as ReleaseTimes['seen'],
    ...(seenFloor > 0 && { seenFloor }),
  };
};

/** Whether the gate lets all releases of a document pass, whatever their names. It says nothing of verdicts. */
export const allPass = ({ gate, now }: Pick<OpenGate, 'gate' | 'now'>, times: ReleaseTimes | undefined): boolean =>
  !gate || (times !== undefined && times.newest <= cutoffOf(gate, now) && (times.isTimed || gate.untimed !== 'hold'));

/** The releases of a document, each with the time when it was first seen. */
export const withSeen = (releases: Iterable<Release>, times: ReleaseTimes | undefined): readonly Release[] =>
  Array.from(releases, (release) => ({ ...release, seenAt: firstSeen(times, release.id) }));
