/** How long and how much an upstream may take. */
export interface Limits {
  /** Name, connection and TLS together. */
  readonly connectMilliseconds: number;
  /** From the connection to the end of the answer's headers. */
  readonly firstByteMilliseconds: number;
  /**
   * Each `paceBytes` of a body must come within so long, not counting the time in which nobody reads: one rule for silence
   * and for a byte a second.
   */
  readonly paceMilliseconds: number;
  readonly paceBytes: number;
}

/** What production uses; tests shorten them. */
export const defaultLimits: Limits = {
  connectMilliseconds: 3_000,
  firstByteMilliseconds: 10_000,
  paceMilliseconds: 15_000,
  paceBytes: 16 * 1024,
};
