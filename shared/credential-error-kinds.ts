import type { ErrorKind } from './error-kind.ts';

/** The errors of credentials: those that a browser adds by itself, tokens and trusts. */
export const credentialErrorKinds = {
  CROSS_SITE_REQUEST: {
    status: 403,
    title: 'Cross-site request',
    detail: 'A web page of another site sent this request. Send it from /docs, or with a client that is no browser.',
    advice:
      'A browser sent the request for a page of another site: its `Origin` is not the base URL of this service, or its `Sec-Fetch-Site` is `cross-site` or `same-site`. Such a page must not act with a password that the browser remembers. Send the request with a client that is no browser, or from `/docs`.',
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
} as const satisfies Record<string, ErrorKind>;
