import { type ErrorCode, errors, sentencesOf, shownViolations, type Violation } from '../errors.ts';

/** The problem body (RFC 9457, application/problem+json) of every refusal by a function or by the gateway. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly errors: readonly string[];
  readonly violations: readonly Violation[];
  readonly requestId: string;
}

export const problemMediaType = 'application/problem+json';

/** The `type` of a problem: a URN that never changes for a code. */
export const problemType = (code: ErrorCode): string =>
  `urn:stockroom:problem:${code.toLowerCase().replaceAll('_', '-')}`;

/** The problem body of a code. */
export const problem = (
  code: ErrorCode,
  requestId: string,
  detail: string = errors[code].detail,
  violations: readonly Violation[] = [],
): Problem => ({
  type: problemType(code),
  title: errors[code].title,
  status: errors[code].status,
  detail,
  code,
  message: detail,
  errors: violations.length > 0 ? sentencesOf(violations) : [detail],
  violations: shownViolations(violations),
  requestId,
});

/**
 * The body of a refusal that no function gives. Clients of npm print `error`, and Yarn classic reports a publish that got a
 * 401 without it as a success.
 */
export const refusalBody = (code: ErrorCode, requestId: string, detail?: string): object => {
  const body = problem(code, requestId, detail);
  return { ...body, error: body.detail };
};

/** What a browser may do with an answer that it shows: run, load, send and embed nothing, as a document of no origin. */
export const contentPolicy = "default-src 'none'; sandbox; frame-ancestors 'none'";

/** The headers of every response, apart from its own and X-Request-Id. */
export const responseHeaders: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'Content-Security-Policy': contentPolicy,
};

/**
 * The challenge of a 401 (RFC 9110 section 11.6.1). Every form of credential fits into Basic. There is no Bearer beside it, because
 * clients of registries take its realm for the URL of a token server (distribution.github.io/distribution/spec/auth/token).
 */
export const authenticateChallenge = 'Basic realm="stockroom", charset="UTF-8"';
