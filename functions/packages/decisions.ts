import { type Decision, type Release, timeText } from '../../shared/packages/releases/gate-of.ts';
import { decisionOn, type OpenGate } from '../../shared/packages/releases/open-gate.ts';

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
