import type { ErrorKind } from './error-kind.ts';

/** The errors of pushes of container images. */
export const imageErrorKinds = {
  UPLOAD_RANGE_INVALID: {
    status: 416,
    title: 'Out of order',
    detail: 'The upload goes on elsewhere.',
    advice:
      'Ask with GET at the address of the upload how far it has come, and continue there, at the address that this answer gives.',
  },
} as const satisfies Record<string, ErrorKind>;
