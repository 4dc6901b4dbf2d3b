import type { NamedVersion, UpstreamReleases } from '../../shared/packages/gate/version-releases.ts';
import { type Decision, type Release, timeText } from '../../shared/packages/releases/gate-of.ts';
import { decisionOn, isEnforced, type OpenGate } from '../../shared/packages/releases/open-gate.ts';
import { observedOn, rulingOn } from '../../shared/packages/releases/rulings.ts';
import type { RemoteSource } from '../../shared/table/repositories/verdicts.ts';

const severity = { passes: 0, held: 1, blocked: 2 } as const;

const latestOf = (decision: Decision): number => ('until' in decision && decision.until) || 0;

const bySeverity = (one: Decision, other: Decision): number =>
  severity[other.state] - severity[one.state] || latestOf(other) - latestOf(one);

/** What is decided of a version; of its files, the one that is held back longest decides. Undefined if there is none. */
export const strictest = (open: OpenGate, name: string, releases: readonly Release[]): Decision | undefined =>
  releases.map((release) => decisionOn(open, name, release)).toSorted(bySeverity)[0];

/**
 * What is told of a version about which this is decided; of one that passes, what advisories would block if a gate beside it did not only
 * observe. Until when it does not pass is null if that is not known.
 */
export const toldOf = (open: OpenGate, { name, version }: NamedVersion, decided: Decision | undefined) => {
  const isHeld = decided !== undefined && decided.state !== 'passes';
  const decision = isHeld ? decided : (observedOn(open, name, version) ?? decided);
  return {
    state: decision?.state,
    rule: decision?.rule ?? null,
    why: decision?.why ?? null,
    until: decision && latestOf(decision) > 0 ? timeText(latestOf(decision)) : null,
    isEnforced: isHeld && isEnforced(open, decided),
  };
};

/** What verdicts and advisories decide about a version, by the rule of its type where packages have several names; undefined if they say nothing. */
export const rulingFor = (
  { rulingOn: ofType }: UpstreamReleases,
  source: RemoteSource,
  open: OpenGate,
  { name, version }: NamedVersion,
): Decision | undefined => (ofType ? ofType(source, name, version) : rulingOn(open, name, version));
