import type { ReleaseGate } from '../../table/repositories/release-gate.ts';
import type { VersionSpelling } from '../../table/repositories/verdicts.ts';

/** A version of a package, or one of its files where an index has the time of each. Times are milliseconds since the epoch. */
export interface Release {
  /** The package, in an index of several. */
  readonly name?: string;
  /** What it is called in its index: the version, or the name of the file. */
  readonly id: string;
  readonly version: string;
  /** When it was published, as the upstream says. */
  readonly publishedAt?: number | undefined;
  /** Set if its author wrote that time: it counts no earlier than when the release was first seen here. */
  readonly isAuthorsTime?: true;
  /** When it was first seen here; absent if that is long ago. */
  readonly seenAt?: number | undefined;
}

/** What decides about a version: a verdict of the workspace, an advisory, or the setting of the gate that has this name. */
export type GateRule =
  | 'verdict'
  | 'advisory'
  | 'exempt'
  | 'frozenAt'
  | 'minimumAgeHours'
  | 'untimed'
  | 'withdrawnUpstream';

interface Refused {
  readonly rule: GateRule;
  readonly until?: number;
  readonly why: string;
}

/** Why a version is held back, and until when, if time alone lets it through. */
export interface Held extends Refused {
  readonly state: 'held';
}

/** Why nobody gets a version, and until when, if that has an end. */
export interface Blocked extends Refused {
  readonly state: 'blocked';
}

/** Why a version passes; without a rule: nothing holds it back. */
interface Passes {
  readonly state: 'passes';
  readonly rule?: GateRule;
  readonly why?: string;
}

/** What is decided about a version. */
export type Decision = Passes | Held | Blocked;

const passes: Passes = { state: 'passes' };

const hour = 3_600_000;

/**
 * An earlier time is none, because no registry is as old: year 1 is the empty time of Go, 1900 what NuGet says of versions that are not listed, 1970 what
 * servers say of files without a time, and 1980 and 1985 are those of files in zips and in tarballs of npm.
 */
const earliestTime = Date.UTC(1990, 0);

/** A year such as 0001, which Date.parse takes for 2001 where the text is not ISO 8601. */
const emptyYear = /(?<![\d.+-])0\d{3}(?!\d)/;

/** A later time is none: with what a gate adds to it, it would be no date. */
const latestTime = Date.UTC(9999, 0);

/** A time of an upstream in milliseconds since the epoch; undefined if it is none. */
export const millisecondsOf = (text: unknown): number | undefined => {
  const time = typeof text === 'string' && !emptyYear.test(text) ? Date.parse(text) : Number.NaN;
  return time >= earliestTime && time < latestTime ? time : undefined;
};

/** A time as sentences and headers have it. */
export const timeText = (time: number): string => new Date(time).toISOString();

/** Whether a rule on a version is about a version as an index has it, each in any spelling: upstreams do not always normalise. */
export const namesVersion = (entry: string, version: string, spelling: VersionSpelling | undefined): boolean => {
  if (entry === version) return true;
  const normal = (text: string): string => spelling?.normalize(text) ?? text;
  const [ruled, listed] = [normal(entry), normal(version)];
  return ruled === listed || spelling?.covers?.(ruled, listed) === true;
};

/** Whether all versions of a name are exempt. */
export const isNameExempt = (name: string, { exempt }: ReleaseGate): boolean =>
  exempt.some((entry) => (entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : entry === name));

/** Whether a version is exempt, by itself or with all of its name. */
const isExempt = (name: string, version: string, gate: ReleaseGate, spelling: VersionSpelling | undefined): boolean =>
  isNameExempt(name, gate) ||
  gate.exempt.some(
    (entry) => entry.startsWith(`${name}@`) && namesVersion(entry.slice(name.length + 1), version, spelling),
  );

/** Whatever is known to be published until this time passes. */
export const cutoffOf = ({ minimumAgeHours, frozenAt }: ReleaseGate, now: number): number =>
  Math.min(now - minimumAgeHours * hour, frozenAt === null ? Number.POSITIVE_INFINITY : Date.parse(frozenAt));

/** The time from which the age of a version counts; undefined if nothing says one. A version that was seen long ago is old. */
export const countedFrom = (
  { publishedAt, isAuthorsTime, seenAt = 0 }: Release,
  { untimed }: ReleaseGate,
): number | undefined => {
  if (publishedAt === undefined) return untimed === 'firstSeen' ? seenAt : undefined;
  return isAuthorsTime ? Math.max(publishedAt, seenAt) : publishedAt;
};

const heldByTime = (time: number, { minimumAgeHours, frozenAt }: ReleaseGate, now: number, since: string): Decision => {
  const began = `${since} ${timeText(time)}, and`;
  if (frozenAt !== null && time > Date.parse(frozenAt))
    return { state: 'held', rule: 'frozenAt', why: `${began} nothing newer than ${frozenAt} passes` };
  const until = time + minimumAgeHours * hour;
  if (minimumAgeHours === 0 || until <= now) return passes;
  const why = `${began} passes when it is ${minimumAgeHours} hours old`;
  return { state: 'held', rule: 'minimumAgeHours', until, why };
};

/** When a gate is asked, and how the versions of its repository are spelled. */
export interface GateAt {
  readonly now: number;
  readonly spelling?: VersionSpelling | undefined;
}

const exempted: Passes = { ...passes, rule: 'exempt', why: 'the gate exempts it' };

/** Decides whether a version of a package passes the gate of a remote repository at a time. The name is normalised. */
export const gateOf = (name: string, release: Release, gate: ReleaseGate, { now, spelling }: GateAt): Decision => {
  if (isExempt(name, release.version, gate, spelling)) return exempted;
  const time = countedFrom(release, gate);
  if (time !== undefined)
    return heldByTime(time, gate, now, `it was ${time === release.publishedAt ? 'published' : 'first seen'} on`);
  return gate.untimed === 'pass'
    ? passes
    : { state: 'held', rule: 'untimed', why: 'its upstream says no time of its publication' };
};

/** What is kept for so long is not withdrawn because it is malware, and builds rely on it. */
const reliedOnMilliseconds = 30 * 24 * hour;

/** A kept version that the upstream no longer lists. */
export interface WithdrawnVersion {
  readonly version: string;
  /** When it was kept. */
  readonly createdAt: string;
}

/**
 * The same of a kept version that the upstream no longer lists. With `serve` it counts from when it was kept, because nobody says any more when
 * it was published: what a gate would hold back does not pass because it was withdrawn. After a month it passes.
 */
export const gateOfWithdrawn = (
  name: string,
  { version, createdAt }: WithdrawnVersion,
  gate: ReleaseGate,
  { now, spelling }: GateAt,
): Decision => {
  if (isExempt(name, version, gate, spelling)) return exempted;
  const keptAt = Date.parse(createdAt);
  if (keptAt < now - reliedOnMilliseconds) return passes;
  if (gate.withdrawnUpstream === 'serve') return heldByTime(keptAt, gate, now, 'it has been kept since');
  return { state: 'held', rule: 'withdrawnUpstream', why: 'its upstream no longer lists it' };
};
