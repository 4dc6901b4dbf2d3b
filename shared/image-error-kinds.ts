import type { ErrorKind } from './error-kind.ts';

/** The errors of pushes of container images. */
export const imageErrorKinds = {
  UPLOAD_RANGE_INVALID: {
    status: 416,
    title: 'Out of order',
    detail: 'Go on elsewhere.',
    advice:
      'The answer says how far the upload has come, and where it goes on, as does GET at the address of the upload: continue there.',
    headers: ['Location', 'Range', 'Docker-Upload-UUID', 'OCI-Chunk-Min-Length'],
  },
} as const satisfies Record<string, ErrorKind>;
