import { contentErrorKinds } from './content-error-kinds.ts';
import { credentialErrorKinds } from './credential-error-kinds.ts';
import type { ErrorKind } from './error-kind.ts';
import { idempotencyErrorKinds } from './idempotency-error-kinds.ts';
import { imageErrorKinds } from './image-error-kinds.ts';
import { upstreamErrorKinds } from './upstream-error-kinds.ts';

/**
 * Every error: its code, its status, its title and its texts. The problem bodies of the functions and of the gateway, the OpenAPI
 * document and the reference page are all made from this table.
 */
export const errorKinds = {
  BODY_MALFORMED: {
    status: 400,
    title: 'Malformed body',
    detail: 'The request body must be one JSON object in UTF-8.',
    advice:
      'The body is not one well-formed JSON object. Check the quotes, the commas and the encoding, and look for duplicate keys and for more than 16 levels of nesting.',
  },
  REQUEST_INVALID: {
    status: 400,
    title: 'Invalid request',
    detail: 'The request breaks the rules of this endpoint.',
    advice:
      'Each entry of `violations` points to one field and says what is allowed there. Correct all of them and send the request again.',
  },
  WORKSPACE_NOT_EMPTY: {
    status: 400,
    title: 'Workspace not empty',
    detail: 'This workspace still contains repositories. Delete them first.',
    advice: 'Only an empty workspace can be deleted. Delete its repositories, then try again.',
  },
  LIST_TOO_LONG: {
    status: 400,
    title: 'List too long',
    detail: 'This list is too long for one answer. Request pages with ?limit=1000, and follow the Link headers.',
    advice:
      'Without `limit`, a list has at most 5,000 entries and 4 MB, and looks for them among at most 5,000. Add `?limit=` to the request, and follow the `Link` header with `rel="next"` until an answer has none.',
  },
  UNAUTHENTICATED: {
    status: 401,
    title: 'Not authenticated',
    detail:
      'Send a valid personal access token, or the username and password of an active user, in the Authorization header.',
    advice:
      'The credential is missing, malformed, wrong, expired or revoked, or the user is disabled. The answer does not say which of these is the case. Send `Authorization: Bearer <token>`, or Basic with `token:<token>` or `<username>:<password>`.',
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
    detail: 'There is no endpoint with this method and this path. Compare them with the reference at /docs.',
    advice: 'Compare the method and the path with the reference.',
  },
  WORKSPACE_NOT_FOUND: {
    status: 404,
    title: 'Workspace not found',
    detail: 'This workspace does not exist, or you have no access to it.',
    advice: 'Check the ID or name of the workspace, and that you are a member of it.',
  },
  REPOSITORY_NOT_FOUND: {
    status: 404,
    title: 'Repository not found',
    detail: 'This repository does not exist in this workspace, or you have no access to it.',
    advice: 'Check the ID or name of the repository, and that you have a permission on it.',
  },
  MEMBER_NOT_FOUND: {
    status: 404,
    title: 'Member not found',
    detail: 'This user is not a member.',
    advice: 'Check the ID or the username: the list of members contains both.',
  },
  USER_NOT_FOUND: {
    status: 404,
    title: 'User not found',
    detail: 'This user does not exist.',
    advice: 'Check the ID or the username.',
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
  REPOSITORY_READ_ONLY: {
    status: 400,
    title: 'Repository read-only',
    detail: 'Nothing can be published to this repository.',
    advice:
      'A remote repository only proxies its upstream, and a virtual one accepts uploads only if it has an upload target. Publish to a local repository, or set `uploadLocalRepositoryId` of the virtual one.',
  },
  PACKAGE_INVALID: {
    status: 400,
    title: 'Invalid package',
    detail: 'The request does not contain a package of this type.',
    advice:
      '`detail` says what is wrong with the package, its name, its version or its files. Correct it and publish again.',
  },
  QUOTA_EXCEEDED: {
    status: 403,
    title: 'Quota exceeded',
    detail: 'The workspace has reached its limit.',
    advice:
      'The request would exceed the limit of the workspace on stored bytes or packages. Delete versions that nobody needs, or ask a System Admin for a higher limit.',
  },
  PACKAGE_NOT_FOUND: {
    status: 404,
    title: 'Package not found',
    detail: 'This package is not in this repository.',
    advice: 'Check the name of the package, and which repository contains it.',
  },
  VERSION_NOT_FOUND: {
    status: 404,
    title: 'Version not found',
    detail: 'This version of the package does not exist.',
    advice: 'Check the version. A deleted version stays deleted.',
  },
  FILE_NOT_FOUND: {
    status: 404,
    title: 'File not found',
    detail: 'This file is not in this repository.',
    advice: 'Check the path of the file, and which repository contains it.',
  },
  UPLOAD_NOT_FOUND: {
    status: 404,
    title: 'Upload session not found',
    detail: 'This upload session is not in this repository, not yours, or has expired.',
    advice:
      'Check the ID of the session, and complete it as the user who created it. An expired one must be created again.',
  },
  UPLOAD_INCOMPLETE: {
    status: 409,
    title: 'Upload incomplete',
    detail: 'A file of this upload session has not arrived.',
    advice: '`detail` names the file. Upload it with PUT to its `uploadUrl`, then complete the session again.',
  },
  VERSION_EXISTS: {
    status: 409,
    title: 'Version exists',
    detail: 'This version already exists, and a published version never changes.',
    advice:
      'Publish the change under a new version. A deleted version can only be published again with the same bytes.',
  },
  REPOSITORY_NAME_TAKEN: {
    status: 409,
    title: 'Repository name taken',
    detail: 'A repository with this name already exists in this workspace.',
    advice:
      'The name of a repository is unique in its workspace. Choose another name, or delete the repository that has this one.',
  },
  REPOSITORY_IN_USE: {
    status: 409,
    title: 'Repository in use',
    detail: 'Virtual repositories list this repository. Remove it from them first.',
    advice:
      'The answer names the virtual repositories that list the repository. Update or delete them, then try again.',
  },
  WORKSPACE_NAME_TAKEN: {
    status: 409,
    title: 'Workspace name taken',
    detail: 'A workspace with this name already exists.',
    advice: 'Choose another name, or delete the workspace that has this one.',
  },
  USERNAME_TAKEN: {
    status: 409,
    title: 'Username taken',
    detail: 'A user with this name already exists.',
    advice: 'Choose another username.',
  },
  EMAIL_TAKEN: {
    status: 409,
    title: 'E-mail address taken',
    detail: 'Another user has this e-mail address.',
    advice: 'Choose another address, or remove this one from the user who has it.',
  },
  LAST_SYSTEM_ADMIN: {
    status: 409,
    title: 'Last System Admin',
    detail: 'This user is the last active System Admin. Make another user a System Admin first.',
    advice:
      'The service always keeps at least one active System Admin. Make another user a System Admin, then try again.',
  },
  ...imageErrorKinds,
  ...contentErrorKinds,
  ...idempotencyErrorKinds,
  ...credentialErrorKinds,
  ...upstreamErrorKinds,
  RATE_LIMITED: {
    status: 429,
    title: 'Too many requests',
    detail: 'Too many requests. Try again when Retry-After says.',
    advice: 'Wait as long as `Retry-After` says, then try again. Make each further pause longer.',
    retryAfterSeconds: 1,
  },
  INTERNAL_ERROR: {
    status: 500,
    title: 'Internal error',
    detail: 'The service failed unexpectedly. If it happens again, report the requestId.',
    advice:
      'The service failed unexpectedly and has logged the failure under the `requestId` of the answer. Quote it when you report the problem.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    title: 'Service unavailable',
    detail: 'The service is busy. Try again when Retry-After says.',
    advice:
      'A dependency is overloaded or does not answer. The request itself is correct: send it again as long after as `Retry-After` says.',
    retryAfterSeconds: 1,
  },
} as const satisfies Record<string, ErrorKind>;
