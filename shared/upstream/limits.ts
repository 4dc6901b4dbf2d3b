/** The limits of an upstream in time and size. */
export interface Limits {
  /** Name, connection and TLS together. */
  readonly connectMilliseconds: number;
  /** From the connection to the end of the answer's headers. */
  readonly firstByteMilliseconds: number;
  /**
   * The maximum time for each `paceBytes` of a body, without the time in which nobody reads. One rule covers silence and
   * a byte a second.
   */
  readonly paceMilliseconds: number;
  readonly paceBytes: number;
}

/** The limits of production. Tests shorten them. */
export const defaultLimits: Limits = {
  connectMilliseconds: 3_000,
  firstByteMilliseconds: 10_000,
  paceMilliseconds: 15_000,
  paceBytes: 16 * 1024,
};
