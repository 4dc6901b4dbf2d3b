import type { ErrorCode } from '../../shared/errors.ts';
import type { Problem } from '../../shared/http/problem.ts';
import type { ImageRule } from './refusals.ts';

/** The codes of the specification of distribution. Clients decide by some of them, and print them with the message. */
const codes: Readonly<Partial<Record<ErrorCode, string>>> = {
  UNAUTHENTICATED: 'UNAUTHORIZED',
  FORBIDDEN: 'DENIED',
  CROSS_SITE_REQUEST: 'DENIED',
  QUOTA_EXCEEDED: 'DENIED',
  REPOSITORY_READ_ONLY: 'DENIED',
  VERSION_BLOCKED: 'DENIED',
  WORKSPACE_NOT_FOUND: 'NAME_UNKNOWN',
  REPOSITORY_NOT_FOUND: 'NAME_UNKNOWN',
  PACKAGE_NOT_FOUND: 'NAME_UNKNOWN',
  VERSION_NOT_FOUND: 'MANIFEST_UNKNOWN',
  FILE_NOT_FOUND: 'BLOB_UNKNOWN',
  UPLOAD_NOT_FOUND: 'BLOB_UPLOAD_UNKNOWN',
  UPLOAD_RANGE_INVALID: 'BLOB_UPLOAD_INVALID',
  PACKAGE_INVALID: 'MANIFEST_INVALID',
  BODY_MALFORMED: 'MANIFEST_INVALID',
  BODY_TOO_LARGE: 'SIZE_INVALID',
  RATE_LIMITED: 'TOOMANYREQUESTS',
  INTERNAL_ERROR: 'UNKNOWN',
  CONTENT_LOST: 'UNKNOWN',
};

const rules: Readonly<Record<ImageRule, string>> = {
  digest: 'DIGEST_INVALID',
  known: 'MANIFEST_BLOB_UNKNOWN',
  unneeded: 'DENIED',
};

/** A failure of this service or of an upstream has a code that the specification lacks, as other registries send it. */
const codeOf = ({ code, status, violations }: Problem): string => {
  const [rule, found] = Object.entries(rules).find(([name]) => name === violations[0]?.rule) ?? [];
  return (rule === undefined ? codes[code] : found) ?? (status >= 500 ? 'UNAVAILABLE' : 'UNSUPPORTED');
};

/** Clients of registries read a list of errors, each with a code of the specification. */
export const shapeProblem = (problem: Problem): object => ({
  ...problem,
  errors: problem.errors.map((message) => ({ code: codeOf(problem), message, detail: null })),
});
