import type { ErrorKind } from './error-kind.ts';
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
      "Send a valid personal access token (as a password, with the username 'token'), or the username and password of an active user, in the Authorization header.",
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
    detail:
      'There is no endpoint with this method and this path. Compare both with the reference at /docs, and send a slash inside a name as %2F, as in @acme%2Fweb.',
    advice:
      'Compare the method and the path with the reference. A slash inside a name is sent as `%2F`: `@acme%2Fweb` is one part of a path, `@acme/web` are two.',
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
  PACKAGE_CHANGED: {
    status: 409,
    title: 'Package changed',
    detail: 'This package changed since it was read. Repeat the command.',
    advice:
      'The request names the revision of the package that the client read, and the package has another one now: somebody published, deleted or changed a version meanwhile. Run the command again, which reads the package anew.',
  },
  VERSION_NOT_FOUND: {
    status: 404,
    title: 'Version not found',
    detail: 'This version of the package does not exist.',
    advice: 'Check the version. A deleted version stays deleted.',
  },
  README_NOT_FOUND: {
    status: 404,
    title: 'README not found',
    detail: 'This version has no README.',
    advice: 'Only packages of some types have one, in the folder at the top of their archive.',
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
  ADVISORY_IMPORT_NOT_FOUND: {
    status: 404,
    title: 'Import of advisories not found',
    detail: 'There is no import of advisories with this ID.',
    advice: 'Check the ID that the answer to `POST /1/advisories/imports` gave.',
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
  // Pushes of container images.
  UPLOAD_RANGE_INVALID: {
    status: 416,
    title: 'Out of order',
    detail: 'Go on elsewhere.',
    advice:
      'The answer says how far the upload has come, and where it goes on, as does GET at the address of the upload: continue there.',
    headers: ['Location', 'Range', 'Docker-Upload-UUID', 'OCI-Chunk-Min-Length'],
  },
  // The error of bytes that the store has lost. It is no 404, after which clients look for the version elsewhere, and no 503, because a try
  // again changes nothing.
  CONTENT_LOST: {
    status: 500,
    title: 'Content lost',
    detail: 'The stored bytes are lost. Publish the same bytes again.',
    advice:
      'The version exists, but the object store no longer has its bytes, or has others. A try again changes nothing. Publish the same bytes again: even if the answer is that the version exists, its bytes are stored again. A remote repository fetches them from its upstream by itself.',
  },
  // Requests with an Idempotency-Key.
  IDEMPOTENCY_KEY_SPENT: {
    status: 409,
    title: 'Idempotency key spent',
    detail:
      'An earlier request with this Idempotency-Key created what was deleted since. To create it again, send a new key.',
    advice:
      'This request was answered before, and what it created was deleted since. To create it again, send a new `Idempotency-Key`.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    title: 'Idempotency key reused',
    detail: 'You sent this Idempotency-Key within the last 24 hours with another request. Send a new key.',
    advice:
      'An `Idempotency-Key` belongs to one request: the same caller, the same path and the same body. Send a new key with each new request, such as a random UUID.',
  },
  // Credentials: those that a browser adds by itself, tokens and trusts.
  CROSS_SITE_REQUEST: {
    status: 403,
    title: 'Cross-site request',
    detail: 'A web page of another site sent this request. Send it from /docs, or with a client that is no browser.',
    advice:
      'A browser sent the request for a page of another site: its `Origin` is not the base URL of this service, or its `Sec-Fetch-Site` is `cross-site` or `same-site`. Such a page must not act with a password that the browser remembers. Send the request with a client that is no browser, or from `/docs`.',
  },
  SIGN_IN_REFUSED: {
    status: 401,
    title: 'Sign-in refused',
    detail: 'The username or the password is wrong, the user is disabled, or there were too many wrong passwords.',
    advice:
      'The answer does not say which of these is the case. Check the username and the password. After ten wrong passwords in five minutes, every further one is refused: wait five minutes, then try again.',
  },
  SESSION_ENDED: {
    status: 401,
    title: 'Session ended',
    detail: 'This session has ended. Sign in again.',
    advice:
      'The session was ended, was not used for twelve hours, is older than thirty days, or its user was disabled or has another password or revoked all tokens. It also ends if a cookie comes that was replaced before, because then two browsers have it. Sign in again.',
  },
  SESSION_NOT_FOUND: {
    status: 404,
    title: 'Session not found',
    detail: 'This user has no such session.',
    advice: 'Check the ID of the session: the list of sessions contains it.',
  },
  PASSWORD_PROOF_EXPIRED: {
    status: 403,
    title: 'Password needed again',
    detail: 'Send your password again: this session may do this only for fifteen minutes after that.',
    advice:
      'The request came with the token of a session whose user sent the password more than fifteen minutes ago. Send it with `POST /1/sessions/renew`, then try again.',
  },
  TOKEN_NOT_FOUND: {
    status: 404,
    title: 'Token not found',
    detail: 'This token does not exist, or it is not yours.',
    advice: 'Check the ID of the token: the list of tokens contains it.',
  },
  TOKEN_ENDED: {
    status: 409,
    title: 'Token ended',
    detail: 'This token has expired, or another token took its place: it cannot be rotated.',
    advice: 'Rotate the token that took its place, or create a new one.',
  },
  EXCHANGE_REFUSED: {
    status: 401,
    title: 'Exchange refused',
    detail: 'This identity token gets no token here. A Workspace Admin sees the reason with the dry run of the trust.',
    advice:
      'The trust does not exist, or it does not accept this identity token: its signature, its issuer, its audience, its times or its claims. The answer does not say which of these is the case. A Workspace Admin sends the token to `POST …/trusts/{trust}/check`, which says what is wrong, and the log has the reason under the `requestId`.',
  },
  TRUST_NOT_FOUND: {
    status: 404,
    title: 'Trust not found',
    detail: 'This trust does not exist in this workspace.',
    advice: 'Check the ID or name of the trust: the list of trusts contains it.',
  },
  TRUST_NAME_TAKEN: {
    status: 409,
    title: 'Trust name taken',
    detail: 'A trust with this name already exists in this workspace.',
    advice:
      'The name of a trust is unique in its workspace. Choose another name, or delete the trust that has this one.',
  },
  ...upstreamErrorKinds,
  REQUEST_LOOP: {
    status: 508,
    title: 'Request loop',
    detail:
      'This request leads back to this service: the upstream of a remote repository is this service itself, or leads to it. Set `remoteRepositoryUrl` to the registry that has the packages.',
    advice:
      'The header `Via` says that this service has sent the request itself. A remote repository must not have a repository of the same service as its upstream, also not through another service: to combine repositories, create a virtual one.',
    isOfUpstream: true,
  },
  FILE_PENDING: {
    status: 503,
    title: 'File pending',
    detail: 'The upstream is still sending this. Try again when Retry-After says.',
    advice: 'The upstream is slow or the file is large: Stockroom still receives or verifies it. Try again later.',
    retryAfterSeconds: 30,
    isOfUpstream: true,
  },
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
