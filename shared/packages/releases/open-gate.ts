import { ApiError } from '../../errors.ts';
import type { ReleaseGate } from '../../table/repositories/release-gate.ts';
import type { RemoteRepository } from '../../table/repositories/repositories.ts';
import { gateOf, type Held, isNameExempt, type Release, timeText } from './gate-of.ts';

/** The gate of a remote repository during one request. */
export interface OpenGate {
  readonly gate: ReleaseGate;
  readonly repository: string;
  readonly now: number;
}

/** A release that the gate holds back, or would hold back if it only observes. */
export interface HeldRelease {
  readonly name: string;
  readonly release: Release;
  readonly held: Held;
  readonly repository: string;
}

/** Without a cache, nothing remembers what was seen before: a version without a time is held back then. */
const effective = (gate: ReleaseGate, { isRemoteCacheEnabled }: RemoteRepository): ReleaseGate =>
  gate.untimed === 'firstSeen' && !isRemoteCacheEnabled ? { ...gate, untimed: 'hold' } : gate;

/** The gate that the versions of a name have to pass; undefined if there is none, or if the name is exempt. */
export const gateFor = (source: RemoteRepository, name: string): OpenGate | undefined => {
  const { releaseGate: gate, name: repository } = source;
  if (!gate || isNameExempt(name, gate)) return undefined;
  return { gate: effective(gate, source), repository, now: Date.now() };
};

/** The release, if the gate holds it back. */
export const heldBy = (
  { gate, repository, now }: OpenGate,
  name: string,
  release: Release,
): HeldRelease | undefined => {
  const decision = gateOf(name, release, gate, now);
  return decision.state === 'held' ? { name, release, held: decision, repository } : undefined;
};

/** The header of an answer that the gate would have changed if it did not only observe. */
export const observedHeaders = { 'X-Stockroom-Gate': 'would-hold' } as const;

const untilOf = ({ until }: Held): string => (until === undefined ? '' : `, on ${timeText(until)}`);

/** VERSION_HELD for a release, with what holds it back, until when, and what to do. */
export const heldError = ({ name, release: { version }, held, repository }: HeldRelease): ApiError => {
  const error = new ApiError(
    'VERSION_HELD',
    `${name} ${version} is held back by the release gate of the repository '${repository}': ${held.why}${untilOf(held)}. Use an older version, or ask an admin of the workspace to exempt '${name}@${version}'.`,
  );
  if (held.until !== undefined) error.headers = { 'X-Stockroom-Held-Until': timeText(held.until) };
  return error;
};

/** Whether an error says that the gate of one source holds a version back. */
export const isHeld = (error: unknown): error is ApiError => error instanceof ApiError && error.code === 'VERSION_HELD';
