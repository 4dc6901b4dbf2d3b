/** One kind of error: its status, its title and its texts. */
export interface ErrorKind {
  readonly status: number;
  readonly title: string;
  /** The sentence of an error that is raised without a sentence of its own. */
  readonly detail: string;
  /** For the reference only, so no bundle contains it: when the error occurs, and what to do. */
  readonly advice: string;
  /** Seconds after which a retry makes sense: the Retry-After header. */
  readonly retryAfterSeconds?: number;
  /** For the reference only, too: an upstream may say how long to wait. */
  readonly mayHaveRetryAfter?: true;
  /** For the reference only, too: further headers of its answers. */
  readonly headers?: readonly string[];
  /** Set for a 5xx that an upstream causes. It counts neither as a fault of the service nor against a release. */
  readonly isOfUpstream?: true;
}
