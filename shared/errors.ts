import type { ErrorKind } from './error-kind.ts';
import { errorKinds } from './error-kinds.ts';

export type ErrorCode = keyof typeof errorKinds;

/** The error table: code → status, title, texts. */
export const errors: Readonly<Record<ErrorCode, ErrorKind>> = errorKinds;

/** One broken rule of a request: a pointer into the body (RFC 6901), the name of the rule, one sentence. */
export interface Violation {
  readonly pointer: string;
  readonly rule: string;
  readonly message: string;
}

/** The only error that a use case throws. It becomes the problem body of its code. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  // Only declared, as every bundle has this class: fields would take more bytes.
  declare readonly code: ErrorCode;
  declare readonly violations: readonly Violation[];
  /** Of its answer, beside those of every refusal. */
  declare headers?: Readonly<Record<string, string>>;
  /** When an upstream may be asked again, in milliseconds since the epoch, if it said so. The header Retry-After follows from it. */
  declare retryAt?: number | undefined;

  constructor(
    code: ErrorCode,
    detail: string = errors[code].detail,
    violations: readonly Violation[] = [],
    options?: ErrorOptions,
  ) {
    super(detail, options);
    this.code = code;
    this.violations = violations;
  }
}

/** SERVICE_UNAVAILABLE because of an error of a service that this one needs. The log shows the cause. */
export const unavailable = (cause: unknown): ApiError => new ApiError('SERVICE_UNAVAILABLE', undefined, [], { cause });

/** SERVICE_UNAVAILABLE until somebody makes room for what is stored: a try again a second later changes nothing. */
export const storageFull = (cause: unknown): ApiError =>
  Object.assign(
    new ApiError(
      'SERVICE_UNAVAILABLE',
      'Nothing can be stored, because the disk of the service is full. Ask its operator to make room.',
      [],
      { cause },
    ),
    { headers: { 'Retry-After': '60' } },
  );

/** The maximum number of violations in an answer. Without it, 64 KB of unknown fields make more than Lambda can answer. */
const violationsMax = 100;

/** The violations that an answer shows. */
export const shownViolations = (violations: readonly Violation[]): readonly Violation[] =>
  violations.slice(0, violationsMax);

/** The sentences of the violations that are shown, and how many there are beyond them. */
export const sentencesOf = (violations: readonly Violation[]): readonly string[] => {
  const sentences = shownViolations(violations).map(({ message }) => message);
  const rest = violations.length - sentences.length;
  return rest > 0 ? [...sentences, `And ${rest.toLocaleString('en-US')} more.`] : sentences;
};

/** REQUEST_INVALID with one sentence for each field at fault. */
export const invalid = (violations: readonly Violation[]): ApiError =>
  new ApiError('REQUEST_INVALID', sentencesOf(violations).join(' '), violations);

/** Throws it where a request breaks rules. */
export const requireValid = (violations: readonly Violation[]): void => {
  if (violations.length > 0) throw invalid(violations);
};
