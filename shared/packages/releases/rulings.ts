import { type Advisory, urlOfAdvisory } from '../../table/repositories/advisories.ts';
import type { Verdict, VersionSpelling } from '../../table/repositories/verdicts.ts';
import { standing } from '../../table/repositories/verdicts.ts';
import type { BlockedBy } from './advised-versions.ts';
import { type Blocked, type Decision, namesVersion } from './gate-of.ts';

export const isAboutAll = ({ versions }: Verdict): boolean => versions.includes('*');

const isPrefix = ({ package: entry }: Verdict): boolean => entry.endsWith('*');

/** Whether a verdict is about a package, by its name or the beginning of it. */
export const isAboutName = (verdict: Verdict, name: string): boolean =>
  isPrefix(verdict) ? name.startsWith(verdict.package.slice(0, -1)) : verdict.package === name;

/** Whether a verdict names a version. */
export const isAboutVersion = (
  { versions }: Verdict,
  version: string,
  spelling: VersionSpelling | undefined,
): boolean => versions.some((entry) => namesVersion(entry, version, spelling));

/** How exactly a verdict says what it is about: versions before a name, and a name before the beginning of names. */
const exactness = (verdict: Verdict): number => {
  if (!isAboutAll(verdict)) return 2;
  return isPrefix(verdict) ? 0 : 1;
};

const byWeight = (one: Verdict, other: Verdict): number =>
  exactness(other) - exactness(one) || Number(other.verdict === 'block') - Number(one.verdict === 'block');

/** The verdict that counts among those about the same: the most exact one, and of two that are as exact, the one that blocks. */
export const weightiest = (verdicts: readonly Verdict[]): Verdict | undefined => verdicts.toSorted(byWeight)[0];

/** The verdicts that may concern versions of a name at a time; without a name, those of any. */
export const verdictsOn = (verdicts: readonly Verdict[], name: string, now: number): readonly Verdict[] =>
  standing({ verdicts }, now).filter((verdict) => name === '' || isAboutName(verdict, name));

/** Whether it is not known which version a file is of: what blocks any version blocks it, and what allows another one does not help. */
const isUnknown = ({ spelling }: Rulings, version: string): boolean => version === spelling?.unknown;

/** The verdict that counts for a version. */
const verdictOn = (rulings: Rulings, name: string, version: string): Verdict | undefined => {
  const mayConcern = (verdict: Verdict): boolean =>
    isAboutAll(verdict) ||
    isAboutVersion(verdict, version, rulings.spelling) ||
    (verdict.verdict === 'block' && isUnknown(rulings, version));
  return weightiest(rulings.verdicts.filter((verdict) => isAboutName(verdict, name) && mayConcern(verdict)));
};

/** What a verdict says, for a sentence that goes on: without the full stop at the end of its reason. */
const whyOf = ({ package: entry, reason }: Verdict): string =>
  `the verdict on '${entry}' says: ${reason.endsWith('.') ? reason.slice(0, -1) : reason}`;

const allowedBy = (verdict: Verdict): Decision => ({ state: 'passes', rule: 'verdict', why: whyOf(verdict) });

const blockedBy = (verdict: Verdict): Blocked => ({
  state: 'blocked',
  rule: 'verdict',
  why: whyOf(verdict),
  ...(verdict.expiresAt !== null && { until: Date.parse(verdict.expiresAt) }),
});

const advisedAgainst = (advisory: Advisory): Blocked => {
  const what =
    advisory.kind === 'malware' ? 'malware' : `a vulnerability (${advisory.severity ?? 'of unknown severity'})`;
  return {
    state: 'blocked',
    rule: 'advisory',
    why: `the advisory ${advisory.id} reports ${what}, see ${urlOfAdvisory(advisory)}`,
  };
};

/** What a verdict decides. */
export const decisionOf = (verdict: Verdict): Decision =>
  verdict.verdict === 'block' ? blockedBy(verdict) : allowedBy(verdict);

/** What decides about a version before its times do. */
export interface Rulings {
  readonly verdicts: readonly Verdict[];
  /** Absent if no advisory on the name blocks anything. */
  readonly advisory?: BlockedBy | undefined;
  /** The same of advisories that would block something if a gate beside it did not only observe. */
  readonly observedAdvisory?: BlockedBy | undefined;
  /** How the versions are spelled; absent if their texts are compared as they are. */
  readonly spelling?: VersionSpelling | undefined;
}

/** What advisories say against a version, unless the verdict on it allows the version itself. */
const advised = (
  rulings: Rulings,
  by: BlockedBy | undefined,
  version: string,
  verdict: Verdict | undefined,
): Blocked | undefined => {
  const asked = isUnknown(rulings, version) ? undefined : version;
  const advisory = verdict && !isAboutAll(verdict) ? undefined : by?.(asked);
  return advisory && advisedAgainst(advisory);
};

/**
 * What the verdicts and the advisories say of a version; undefined if they say nothing of it. Verdicts come first, but for what
 * advisories block, a verdict has to allow the version itself. The name is normalised.
 */
export const rulingOn = (rulings: Rulings, name: string, version: string): Decision | undefined => {
  const verdict = verdictOn(rulings, name, version);
  if (verdict?.verdict === 'block') return blockedBy(verdict);
  return advised(rulings, rulings.advisory, version, verdict) ?? (verdict && allowedBy(verdict));
};

/** What advisories say against a version that passes, where a gate beside it only observes. */
export const observedOn = (rulings: Rulings, name: string, version: string): Blocked | undefined =>
  rulings.observedAdvisory && advised(rulings, rulings.observedAdvisory, version, verdictOn(rulings, name, version));
