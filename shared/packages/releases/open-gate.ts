import { ApiError } from '../../errors.ts';
import type { ReleaseGate } from '../../table/repositories/release-gate.ts';
import type { RemoteRepository } from '../../table/repositories/repositories.ts';
import type { RemoteSource } from '../../table/repositories/verdicts.ts';
import { blockedBy } from './advised-versions.ts';
import { type Blocked, type Decision, gateOf, type Held, isNameExempt, type Release, timeText } from './gate-of.ts';
import { type Rulings, rulingOn, verdictsOn } from './rulings.ts';

/** What the versions of a name have to pass in a remote repository during one request. */
export interface OpenGate extends Rulings {
  /** The release gate of the repository; absent if it has none, or if the name is exempt. */
  readonly gate?: ReleaseGate | undefined;
  /** Whether the gate of the repository changes no answer: advisories then block nothing, either, unless the gate beside it does. */
  readonly isObserving: boolean;
  /** Whether the gate of a repository that is read with it blocks by advisories. */
  readonly isAdvised: boolean;
  readonly repository: string;
  readonly now: number;
}

/** A release that does not pass, or would not if the gate did not only observe. */
export interface HeldRelease {
  readonly name: string;
  readonly release: Release;
  readonly held: Held | Blocked;
  readonly repository: string;
}

/** Without a cache, nothing remembers what was seen before: a version without a time is held back then. */
const effective = (gate: ReleaseGate, { isRemoteCacheEnabled }: RemoteRepository): ReleaseGate =>
  gate.untimed === 'firstSeen' && !isRemoteCacheEnabled ? { ...gate, untimed: 'hold' } : gate;

/** The same, whether or not the name is exempt. */
export const wholeGateFor = ({ verdicts, ...source }: RemoteSource, name: string, now = Date.now()): OpenGate => {
  if (!verdicts) throw new Error('The verdicts on packages were not read with their repository.');
  const { releaseGate, advisories, advisedBy, observedBy, name: repository, versionSpelling: spelling } = source;
  const blockedFor = (by: ReleaseGate | null | undefined) =>
    by && advisories ? blockedBy(advisories.find(name), by, advisories.order) : undefined;
  return {
    gate: releaseGate ? effective(releaseGate, source) : undefined,
    isObserving: releaseGate?.mode === 'observe',
    isAdvised: advisedBy !== undefined,
    advisory: blockedFor(advisedBy ?? releaseGate),
    observedAdvisory: blockedFor(observedBy),
    verdicts: verdictsOn(verdicts, name, now),
    spelling,
    repository,
    now,
  };
};

/** Whether something beside the times of versions decides about them. */
export const hasRulings = ({ verdicts, advisory, observedAdvisory }: Rulings): boolean =>
  verdicts.length > 0 || Boolean(advisory ?? observedAdvisory);

/** What the versions of a name have to pass; undefined if nothing can hold them back. Without a name: the versions of all names. */
export const gateFor = (source: RemoteSource, name: string): OpenGate | undefined => {
  const { gate: whole, ...open } = wholeGateFor(source, name);
  const gate = whole && isNameExempt(name, whole) ? undefined : whole;
  return gate || hasRulings(open) ? { ...open, gate } : undefined;
};

/** What is decided about a release: verdicts and advisories decide before its time does. */
export const decisionOn = (open: OpenGate, name: string, release: Release): Decision =>
  rulingOn(open, name, release.version) ?? (open.gate ? gateOf(name, release, open.gate, open) : { state: 'passes' });

/** The release, if it does not pass. */
export const heldBy = (open: OpenGate, name: string, release: Release): HeldRelease | undefined => {
  const decision = decisionOn(open, name, release);
  return decision.state === 'passes' ? undefined : { name, release, held: decision, repository: open.repository };
};

/** Whether what does not pass stays here: a gate may only observe, and a verdict never does. */
export const isEnforced = ({ isObserving, isAdvised }: OpenGate, { state, rule }: Decision): boolean =>
  !isObserving || (state === 'blocked' && (rule === 'verdict' || isAdvised));

/** The header of an answer that the gate would have changed if it did not only observe. */
export const observedHeaders = { 'X-Stockroom-Gate': 'would-hold' } as const;

/** The header that says when a file was published; none if that is not known. */
export const publishedHeaders = (publishedAt: number | undefined): Readonly<Record<string, string>> =>
  publishedAt === undefined || publishedAt === 0 ? {} : { 'X-Stockroom-Published': timeText(publishedAt) };

const untilOf = (until: number | undefined, word: string): string =>
  until === undefined ? '' : `, ${word} ${timeText(until)}`;

const refusalOf = ({ name, release: { version }, held, repository }: HeldRelease): ApiError =>
  held.state === 'blocked'
    ? new ApiError(
        'VERSION_BLOCKED',
        `${name} ${version} is blocked: ${held.why}${untilOf(held.until, 'until')}. Use another version, or ask an admin of the workspace for a verdict that allows it.`,
      )
    : new ApiError(
        'VERSION_HELD',
        `${name} ${version} is held back by the release gate of the repository '${repository}': ${held.why}${untilOf(held.until, 'on')}. Use an older version, or ask an admin of the workspace to exempt '${name}@${version}'.`,
      );

/** VERSION_HELD or VERSION_BLOCKED for a release, with what holds it back, until when, and what to do. */
export const heldError = (release: HeldRelease): ApiError => {
  const error = refusalOf(release);
  const { until } = release.held;
  if (until !== undefined) error.headers = { 'X-Stockroom-Held-Until': timeText(until) };
  return error;
};

/** Whether an error says that a version does not pass in one source. */
export const isHeld = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.code === 'VERSION_HELD' || error.code === 'VERSION_BLOCKED');
