import type { ReleaseGate } from '../../table/repositories/release-gate.ts';

/** A version of a package, or one of its files where an index has the time of each. Times are milliseconds since the epoch. */
export interface Release {
  /** The package, in an index of several. */
  readonly name?: string;
  /** What it is called in its index: the version, or the name of the file. */
  readonly id: string;
  readonly version: string;
  /** When it was published, as the upstream says. */
  readonly publishedAt?: number | undefined;
  /** When it was first seen here; absent if that is long ago. */
  readonly seenAt?: number | undefined;
}

/** Why a version is held back, and until when, if time alone lets it through. */
export interface Held {
  readonly state: 'held';
  readonly until?: number;
  readonly why: string;
}

/** What the gate decides about a version. */
export type Decision = { readonly state: 'passes' } | Held;

const passes: Decision = { state: 'passes' };

const hour = 3_600_000;

/** A time of an upstream in milliseconds since the epoch; undefined if it is none. */
export const millisecondsOf = (text: unknown): number | undefined => {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
};

/** A time as sentences and headers have it. */
export const timeText = (time: number): string => new Date(time).toISOString();

/** Whether an entry of `exempt` is a name, a beginning of names, or a version of a name. */
const isExempt = (name: string, version: string | undefined, exempt: readonly string[]): boolean =>
  exempt.some((entry) =>
    entry.endsWith('*')
      ? name.startsWith(entry.slice(0, -1))
      : entry === name || (version !== undefined && entry === `${name}@${version}`),
  );

/** Whether all versions of a name are exempt. */
export const isNameExempt = (name: string, { exempt }: ReleaseGate): boolean => isExempt(name, undefined, exempt);

/** Whatever is known to be published until this time passes. */
export const cutoffOf = ({ minimumAgeHours, frozenAt }: ReleaseGate, now: number): number =>
  Math.min(now - minimumAgeHours * hour, millisecondsOf(frozenAt) ?? Number.POSITIVE_INFINITY);

/** The time from which the age of a version counts; undefined if nothing says one. A version that was seen long ago is old. */
const countedFrom = ({ publishedAt, seenAt = 0 }: Release, { untimed }: ReleaseGate): number | undefined =>
  publishedAt ?? (untimed === 'firstSeen' ? seenAt : undefined);

const heldByTime = (time: number, { minimumAgeHours, frozenAt }: ReleaseGate, now: number): Decision => {
  if (frozenAt !== null && time > Date.parse(frozenAt))
    return { state: 'held', why: `it was published on ${timeText(time)}, and nothing newer than ${frozenAt} passes` };
  const until = time + minimumAgeHours * hour;
  if (minimumAgeHours === 0 || until <= now) return passes;
  const why = `it was published on ${timeText(time)}, and passes when it is ${minimumAgeHours} hours old`;
  return { state: 'held', until, why };
};

/** Decides whether a version of a package passes the gate of a remote repository at a time. The name is normalised. */
export const gateOf = (name: string, release: Release, gate: ReleaseGate, now: number): Decision => {
  if (isExempt(name, release.version, gate.exempt)) return passes;
  const time = countedFrom(release, gate);
  if (time !== undefined) return heldByTime(time, gate, now);
  return gate.untimed === 'pass' ? passes : { state: 'held', why: 'its upstream says no time of its publication' };
};
