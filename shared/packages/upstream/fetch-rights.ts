import type { Contract } from '../../http/contract.ts';

/** The rights of an endpoint that serves files: those of upstreams are fetched, cached, staged and handed over to the worker. */
export const fileFetches = {
  store: [
    'GetObject blobs/*',
    'PutObject blobs/*',
    'GetObject staging/*',
    'PutObject staging/*',
    'AbortMultipartUpload staging/*',
    'AbortMultipartUpload blobs/*',
  ],
  decrypts: true,
  invokes: ['fetcher'],
} as const satisfies Partial<Contract>;
