import { type ErrorKind, errorKinds } from './error-kinds.ts';

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
  readonly code: ErrorCode;
  readonly violations: readonly Violation[];

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

/** REQUEST_INVALID with one sentence for each field at fault. */
export const invalid = (violations: readonly Violation[]): ApiError =>
  new ApiError('REQUEST_INVALID', violations.map((violation) => violation.message).join(' '), violations);
