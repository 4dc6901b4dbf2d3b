/**
 * The one home of every error: its code, status, title and what it means to the person who meets it. The problem
 * bodies of the functions and of the gateway, the OpenAPI document and the reference page are all made from it.
 */
interface ErrorKind {
  readonly status: number;
  readonly title: string;
  /** The sentence that is told when the place that raises the error knows nothing more. */
  readonly detail: string;
  /** For the reference: when it happens and what to do. */
  readonly advice: string;
  /** Seconds after which a retry makes sense: the Retry-After header. */
  readonly retryAfterSeconds?: number;
}

const kinds = {
  BODY_MALFORMED: {
    status: 400,
    title: 'Malformed body',
    detail: 'The request body must be one JSON object in UTF-8.',
    advice:
      'The body is not one well-formed JSON object: check quotes, commas, duplicate keys, nesting deeper than 16 levels and the encoding.',
  },
  REQUEST_INVALID: {
    status: 400,
    title: 'Invalid request',
    detail: 'The request breaks the rules of this endpoint.',
    advice:
      'Each entry of `violations` points at one field and says what is allowed there. Correct them all and send it again.',
  },
  WORKSPACE_NOT_EMPTY: {
    status: 400,
    title: 'Workspace not empty',
    detail: 'This workspace still contains repositories. Delete them first.',
    advice: 'A workspace can be deleted only when it holds no repositories: delete them, then try again.',
  },
  LIST_TOO_LONG: {
    status: 400,
    title: 'List too long',
    detail: 'This list is too long for one answer. Ask for it in pages, with ?limit=1000, and follow the Link headers.',
    advice: 'Add `?limit=` and follow the `Link` header with `rel="next"` until there is none.',
  },
  UNAUTHENTICATED: {
    status: 401,
    title: 'Not authenticated',
    detail:
      'Send a valid personal access token or the username and password of an active user in the Authorization header.',
    advice:
      'The credential is missing, malformed, wrong, expired or revoked, or the user is disabled; the answer does not say which. Send `Authorization: Bearer <token>`, or Basic with `token:<token>` or `<username>:<password>`.',
  },
  SYSTEM_ADMIN_REQUIRED: {
    status: 401,
    title: 'Not authorized',
    detail: 'Only System Admins may delete a workspace.',
    advice: 'Call this endpoint with the credential of a System Admin.',
  },
  FORBIDDEN: {
    status: 403,
    title: 'Forbidden',
    detail: 'Your role does not allow this.',
    advice:
      'The credential is valid, but the role of its user is too low. `detail` says who may do this: ask one of them.',
  },
  ROUTE_NOT_FOUND: {
    status: 404,
    title: 'No such endpoint',
    detail: 'There is no endpoint with this method and path: compare them with the reference at /docs.',
    advice: 'Compare the method and the path with the reference.',
  },
  WORKSPACE_NOT_FOUND: {
    status: 404,
    title: 'Workspace not found',
    detail: 'This workspace does not exist, or you have no access to it.',
    advice: 'Check the ID or name of the workspace, and that you are one of its members.',
  },
  REPOSITORY_NOT_FOUND: {
    status: 404,
    title: 'Repository not found',
    detail: 'This repository does not exist in this workspace, or you have no access to it.',
    advice: 'Check the ID or name of the repository, and that you hold a permission on it.',
  },
  MEMBER_NOT_FOUND: {
    status: 404,
    title: 'Member not found',
    detail: 'This user is not a member here.',
    advice: 'Check the ID or username, and the list of members.',
  },
  USER_NOT_FOUND: {
    status: 404,
    title: 'User not found',
    detail: 'There is no such user.',
    advice: 'Check the ID or the username.',
  },
  TOKEN_NOT_FOUND: {
    status: 404,
    title: 'Token not found',
    detail: 'There is no such personal access token, or it is not yours.',
    advice: 'Check the ID of the token: the list of your tokens shows it.',
  },
  BODY_TOO_LARGE: {
    status: 413,
    title: 'Body too large',
    detail: 'The request body must be at most 64 KiB.',
    advice: 'Send a smaller body.',
  },
  MEDIA_TYPE_UNSUPPORTED: {
    status: 415,
    title: 'Unsupported media type',
    detail: "Send the body as JSON, with the header 'Content-Type: application/json'.",
    advice: 'Set `Content-Type: application/json` and send the body uncompressed.',
  },
  REPOSITORY_NAME_TAKEN: {
    status: 409,
    title: 'Repository name taken',
    detail: 'A repository of this name already exists in this workspace.',
    advice: 'Names are unique in their workspace. Choose another name, or delete the repository that has it.',
  },
  REPOSITORY_IN_USE: {
    status: 409,
    title: 'Repository in use',
    detail: 'Virtual repositories list this repository. Take it out of them first.',
    advice: 'The answer names the virtual repositories that list it. Change or delete them, then try again.',
  },
  WORKSPACE_NAME_TAKEN: {
    status: 409,
    title: 'Workspace name taken',
    detail: 'A workspace of this name already exists.',
    advice: 'Choose another name, or delete the workspace that has it.',
  },
  USERNAME_TAKEN: {
    status: 409,
    title: 'Username taken',
    detail: 'A user of this name already exists.',
    advice: 'Choose another username.',
  },
  EMAIL_TAKEN: {
    status: 409,
    title: 'E-mail address taken',
    detail: 'Another user has this e-mail address.',
    advice: 'Choose another address, or take it from the user who has it.',
  },
  LAST_SYSTEM_ADMIN: {
    status: 409,
    title: 'Last system admin',
    detail: 'This is the last active system admin: make another user a system admin first.',
    advice: 'The service always keeps one active system admin. Promote another user, then try again.',
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Too many requests',
    detail: 'Too many requests. Wait as long as the Retry-After header says, then try again.',
    advice: 'Slow down: wait as long as `Retry-After` says, then retry with growing pauses.',
    retryAfterSeconds: 1,
  },
  INTERNAL_ERROR: {
    status: 500,
    title: 'Internal error',
    detail: 'Something failed on our side. Report the request id if it happens again.',
    advice:
      'An unexpected failure. It is logged under the `requestId` of the answer: quote it when you report the problem.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    title: 'Service unavailable',
    detail: 'The service is busy. Wait as long as the Retry-After header says, then try again.',
    advice:
      'A dependency is overloaded or does not answer. Nothing is wrong with the request: retry it after `Retry-After`.',
    retryAfterSeconds: 1,
  },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof kinds;

/** The error table: code → status, title, texts. */
export const errors: Readonly<Record<ErrorCode, ErrorKind>> = kinds;

/** One broken rule of a request: an RFC 6901 pointer into the body, the rule's name, one sentence. */
export interface Violation {
  readonly pointer: string;
  readonly rule: string;
  readonly message: string;
}

/** The only error that a use case throws: it becomes the problem body of its code. */
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

/** A 400 that names the fields at fault, one sentence each. */
export const invalid = (violations: readonly Violation[]): ApiError =>
  new ApiError('REQUEST_INVALID', violations.map((violation) => violation.message).join(' '), violations);
