import type { NamedVersion, UpstreamReleases } from '../../shared/packages/gate/version-releases.ts';
import { type Decision, type Release, timeText } from '../../shared/packages/releases/gate-of.ts';
import { decisionOn, type OpenGate } from '../../shared/packages/releases/open-gate.ts';
import { rulingOn } from '../../shared/packages/releases/rulings.ts';
import type { RemoteSource } from '../../shared/table/repositories/verdicts.ts';

const severity = { passes: 0, held: 1, blocked: 2 } as const;

const latestOf = (decision: Decision): number => ('until' in decision && decision.until) || 0;

const bySeverity = (one: Decision, other: Decision): number =>
  severity[other.state] - severity[one.state] || latestOf(other) - latestOf(one);

/** What is decided of a version; of its files, the one that is held back longest decides. Undefined if there is none. */
export const strictest = (open: OpenGate, name: string, releases: readonly Release[]): Decision | undefined =>
  releases.map((release) => decisionOn(open, name, release)).toSorted(bySeverity)[0];

/** When a version passes, if that is known. */
export const untilOf = (decision: Decision): string | null =>
  latestOf(decision) > 0 ? timeText(latestOf(decision)) : null;

/** What verdicts and advisories decide about a version, by the rule of its type where packages have several names; undefined if they say nothing. */
export const rulingFor = (
  { rulingOn: ofType }: UpstreamReleases,
  source: RemoteSource,
  open: OpenGate,
  { name, version }: NamedVersion,
): Decision | undefined => (ofType ? ofType(source, name, version) : rulingOn(open, name, version));
