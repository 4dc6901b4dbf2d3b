/** The reasons why an upstream returned nothing usable. */
export type UpstreamErrorKind =
  /** A rule forbids the host, the address, the port or the scheme. */
  | 'refused-address'
  /** There was certainly no answer: no connection, because of the name, the network or the certificate, or one that ended. */
  | 'unreachable'
  /** The upstream has the request and is too slow, at any stage. */
  | 'timeout'
  /** The answer broke off. */
  | 'interrupted'
  | 'too-large'
  /** The answer is not what HTTP or its encoding allow. */
  | 'protocol'
  /** The status says that the upstream does not answer the question. */
  | 'status'
  /** The length or the hash differs from what was promised. */
  | 'integrity'
  /** It was not asked, because too many questions wait for it. */
  | 'crowded'
  /** The caller aborted the request. */
  | 'aborted';

/** Why a request was not over at its deadline: others used the connections, or the body came slowly. */
export type Lateness = 'queued' | 'slow';

/** Where an upstream failed: its host and, once it answered, the status. */
export interface FailureContext {
  readonly host: string;
  readonly status?: number | undefined;
  /** Until when it asks not to be asked, in milliseconds since the epoch. */
  readonly retryAt?: number | undefined;
  readonly lateness?: Lateness | undefined;
}

/** The failure of an upstream, as a sentence that begins with its host. It is fit for a log and for a response. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly kind: UpstreamErrorKind;
  readonly host: string;
  readonly status: number | undefined;
  readonly retryAt: number | undefined;
  readonly lateness: Lateness | undefined;

  /** `predicate` follows the host in the sentence, without a full stop. */
  constructor(
    kind: UpstreamErrorKind,
    { host, status, retryAt, lateness }: FailureContext,
    predicate: string,
    cause?: unknown,
  ) {
    super(`${host} ${predicate}${status === undefined ? '' : ` (HTTP ${status})`}.`, { cause });
    this.kind = kind;
    this.host = host;
    this.status = status;
    this.retryAt = retryAt;
    this.lateness = lateness;
  }
}

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'no code';

/** Turns an error of HTTP, TLS, DNS or sockets into an error of the upstream. The status is known if it had answered. */
export const upstreamErrorOf = (error: unknown, context: FailureContext): UpstreamError => {
  if (error instanceof UpstreamError) return error;
  const code = codeOf(error);
  if (code === 'HPE_HEADER_OVERFLOW') return new UpstreamError('too-large', context, 'sent too many headers', error);
  if (code.startsWith('HPE_')) return new UpstreamError('protocol', context, `sent no valid HTTP: ${code}`, error);
  return context.status === undefined
    ? new UpstreamError('unreachable', context, `could not be reached: ${code}`, error)
    : new UpstreamError('interrupted', context, `broke its answer off: ${code}`, error);
};

/** The error of a request that its caller aborted: the reason itself, if it is such an error. */
export const abortedError = ({ host, status }: FailureContext, reason: unknown, lateness?: Lateness): UpstreamError =>
  reason instanceof UpstreamError
    ? reason
    : new UpstreamError(
        'aborted',
        { host, status, lateness },
        'was given up by the caller before its answer was complete',
        reason,
      );
