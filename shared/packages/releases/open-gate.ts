import { ApiError } from '../../errors.ts';
import type { ReleaseGate } from '../../table/repositories/release-gate.ts';
import type { RemoteRepository } from '../../table/repositories/repositories.ts';
import type { RemoteSource, Verdict } from '../../table/repositories/verdicts.ts';
import { type Blocked, type Decision, gateOf, type Held, isNameExempt, type Release, timeText } from './gate-of.ts';
import { rulingOn, verdictsOn } from './rulings.ts';

/** What the versions of a name have to pass in a remote repository during one request. */
export interface OpenGate {
  /** The release gate of the repository; absent if it has none, or if the name is exempt. */
  readonly gate?: ReleaseGate | undefined;
  /** The verdicts that may concern the name. */
  readonly verdicts: readonly Verdict[];
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
  const { releaseGate, name: repository } = source;
  return {
    gate: releaseGate ? effective(releaseGate, source) : undefined,
    verdicts: verdictsOn(verdicts, name, now),
    repository,
    now,
  };
};

/** What the versions of a name have to pass; undefined if nothing can hold them back. Without a name: the versions of all names. */
export const gateFor = (source: RemoteSource, name: string): OpenGate | undefined => {
  const { gate: whole, ...open } = wholeGateFor(source, name);
  const gate = whole && isNameExempt(name, whole) ? undefined : whole;
  return gate || open.verdicts.length > 0 ? { ...open, gate } : undefined;
};

/** What is decided about a release: a verdict decides before the gate does. */
export const decisionOn = ({ gate, verdicts, now }: OpenGate, name: string, release: Release): Decision =>
  rulingOn(verdicts, name, release.version) ?? (gate ? gateOf(name, release, gate, now) : { state: 'passes' });

/** The release, if it does not pass. */
export const heldBy = (open: OpenGate, name: string, release: Release): HeldRelease | undefined => {
  const decision = decisionOn(open, name, release);
  return decision.state === 'passes' ? undefined : { name, release, held: decision, repository: open.repository };
};

/** Whether what does not pass stays here: a gate may only observe, and a verdict never does. */
export const isEnforced = ({ gate }: OpenGate, { state }: Decision): boolean =>
  state === 'blocked' || gate?.mode !== 'observe';

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
