/** What the release gate of a remote repository holds back. A repository without one passes on whatever its upstream has. */
export interface ReleaseGate {
  /** `observe` changes no answer, and says in a header what it would hold back. */
  readonly mode: 'enforce' | 'observe';
  /** The age from which a version passes; 0 for any age. */
  readonly minimumAgeHours: number;
  /** Nothing that was published later passes: a time in UTC (RFC 3339), or null. */
  readonly frozenAt: string | null;
  /** A version of which the upstream says no time counts from when it was first seen here, is held back, or passes. */
  readonly untimed: 'firstSeen' | 'hold' | 'pass';
  /** Names, beginnings of names that end in `*`, and `name@version`, in the spelling of the package type. */
  readonly exempt: readonly string[];
  /** From which severity on an advisory blocks a version, too; null, or absent in what an earlier release stored: malware alone is blocked. */
  readonly blockSeverity?: 'critical' | 'high' | null;
  /** A version that is kept here and that the upstream no longer lists. */
  readonly withdrawnUpstream: 'hold' | 'serve';
}
