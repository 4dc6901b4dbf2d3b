/** Why an upstream gave nothing that can be used. */
export type UpstreamErrorKind =
  /** A rule forbids to go there: host, address, port or scheme. */
  | 'refused-address'
  /** No connection: name, network or certificate. */
  | 'unreachable'
  /** Too slow, at any stage. */
  | 'timeout'
  /** The answer broke off. */
  | 'interrupted'
  | 'too-large'
  /** The answer is not what HTTP or its encoding allow. */
  | 'protocol'
  /** Length or hash are not what was promised. */
  | 'integrity'
  /** The signal of the caller fired. */
  | 'aborted';

/** Where an upstream failed: its host and, once it answered, the status. */
export interface Place {
  readonly host: string;
  readonly status?: number | undefined;
}

/** What went wrong with an upstream, as a sentence that begins with its host: fit for a log and for a response. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly kind: UpstreamErrorKind;
  readonly host: string;
  readonly status: number | undefined;

  /** `predicate` goes on after the host, without a full stop. */
  constructor(kind: UpstreamErrorKind, { host, status }: Place, predicate: string, cause?: unknown) {
    super(`${host} ${predicate}${status === undefined ? '' : ` (HTTP ${status})`}.`, { cause });
    this.kind = kind;
    this.host = host;
    this.status = status;
  }
}

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'no code';

/** An error of Node's HTTP, TLS, DNS or sockets as one of the upstream; the status is known when it had answered. */
export const upstreamErrorOf = (error: unknown, place: Place): UpstreamError => {
  if (error instanceof UpstreamError) return error;
  const code = codeOf(error);
  if (code === 'HPE_HEADER_OVERFLOW') return new UpstreamError('too-large', place, 'sent too many headers', error);
  if (code.startsWith('HPE_')) return new UpstreamError('protocol', place, `sent no valid HTTP: ${code}`, error);
  return place.status === undefined
    ? new UpstreamError('unreachable', place, `could not be reached: ${code}`, error)
    : new UpstreamError('interrupted', place, `broke its answer off: ${code}`, error);
};

/** The error of a request that its caller gave up. */
export const abortedError = (place: Place, signal: AbortSignal): UpstreamError =>
  new UpstreamError('aborted', place, 'was given up by the caller before its answer was complete', signal.reason);
