import type { ErrorKind } from './error-kind.ts';

/** The errors of requests about tokens and trusts. */
export const credentialErrorKinds = {
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
