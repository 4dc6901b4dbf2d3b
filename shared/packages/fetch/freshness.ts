import type { UpstreamCopy } from '../../table/packages/upstream-copies.ts';

/** The maximum age of a stale copy, since the upstream last confirmed it. Older copies are not served. */
const staleMillisecondsMax = 7 * 24 * 60 * 60 * 1000;

/** How long it is remembered that an upstream does not have a file or a document. A file never comes late to a version that is there. */
const absenceMilliseconds = { file: 10 * 60 * 1000, document: 60 * 1000 } as const;

/** How long a stale copy is served without another question, after one that failed. */
export const revalidationPauseMilliseconds = 30_000;

/**
 * Whether a copy is still fresh. `checkedAt` is the time of its last confirmation in milliseconds since the epoch. A
 * lifetime of null never ends.
 */
export const isFreshAt = (checkedAt: number, lifetimeMilliseconds: number | null): boolean =>
  lifetimeMilliseconds === null || checkedAt + lifetimeMilliseconds > Date.now();

/** Whether a stale copy may be served when the upstream fails: up to seven days after its last confirmation. */
export const isServableStale = ({ checkedAt }: UpstreamCopy): boolean => isFreshAt(checkedAt, staleMillisecondsMax);

/** When the upstream said that it has no such thing, and the epoch second after which that is forgotten. */
interface Absence {
  readonly checkedAt: number;
  readonly expiresAt: number;
}

/** What is remembered when the upstream says that it has no such thing. */
export const absenceOf = (what: keyof typeof absenceMilliseconds): Absence => {
  const checkedAt = Date.now();
  return { checkedAt, expiresAt: Math.ceil((checkedAt + absenceMilliseconds[what]) / 1000) };
};

/** Whether it is remembered that the upstream has no such thing. */
export const isAbsentAt = (checkedAt: number, what: keyof typeof absenceMilliseconds): boolean =>
  isFreshAt(checkedAt, absenceMilliseconds[what]);
