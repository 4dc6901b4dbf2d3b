import type { ErrorKind } from './error-kind.ts';

/**
 * The error of bytes that the store has lost. It is no 404, after which clients look for the version elsewhere, and no 503, because
 * a try again changes nothing.
 */
export const contentErrorKinds = {
  CONTENT_LOST: {
    status: 500,
    title: 'Content lost',
    detail: 'The stored bytes are lost. Publish the same bytes again.',
    advice:
      'The version exists, but the object store no longer has its bytes, or has others. A try again changes nothing. Publish the same bytes again: even if the answer is that the version exists, its bytes are stored again. A remote repository fetches them from its upstream by itself.',
  },
} as const satisfies Record<string, ErrorKind>;
