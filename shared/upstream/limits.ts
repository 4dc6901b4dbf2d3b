/** The limits of an upstream in time and size. */
export interface Limits {
  /** For making a connection: name, TCP and TLS together. */
  readonly connectMilliseconds: number;
  /** From the request on a connection to the end of the answer's headers. */
  readonly firstByteMilliseconds: number;
  /** After this time without an answer, a request hangs. */
  readonly hangMilliseconds: number;
  /**
   * The maximum time for each `paceBytes` of a body, without the time in which nobody reads. One rule covers silence and
   * a byte a second.
   */
  readonly paceMilliseconds: number;
  readonly paceBytes: number;
  /** After this time of waiting, a body must have come at `floorBytesPerSecond` on average. */
  readonly floorMilliseconds: number;
  readonly floorBytesPerSecond: number;
}

/** The limits of an upstream that has this time for an answer: of 20 seconds, 10 to connect, 10 to begin, and 15 to go on. A body that takes more than a minute needs 100 kB a second. */
export const limitsWithin = (answerMilliseconds: number): Limits => ({
  connectMilliseconds: 10_000,
  firstByteMilliseconds: 0.5 * answerMilliseconds,
  hangMilliseconds: 0.15 * answerMilliseconds,
  paceMilliseconds: 0.75 * answerMilliseconds,
  paceBytes: 16 * 1024,
  // A worker has 15 minutes: what is slower would hold it for all of them and never come.
  floorMilliseconds: 60_000,
  floorBytesPerSecond: 100_000,
});
