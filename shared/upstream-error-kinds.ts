import type { ErrorKind } from './error-kind.ts';

/** The errors of the upstreams of remote repositories. */
export const upstreamErrorKinds = {
  UPSTREAM_FAILED: {
    status: 502,
    title: 'Upstream failed',
    detail: 'The upstream of this remote repository failed.',
    advice:
      'The upstream refused the request, failed, or sent other bytes than its index promised. Nothing of its answer was stored. `detail` names its host and its status, and what it said of a refusal. Check the URL and the credentials of the remote repository. If the upstream asked for a pause, `Retry-After` says what is left of it.',
    mayHaveRetryAfter: true,
    isOfUpstream: true,
  },
  UPSTREAM_TIMEOUT: {
    status: 504,
    title: 'Upstream timeout',
    detail: 'The upstream of this remote repository did not answer in time.',
    advice:
      'The upstream is down or slow, and its answer is not cached. Try again as long after as `Retry-After` says.',
    retryAfterSeconds: 10,
    isOfUpstream: true,
  },
  UPSTREAM_BUSY: {
    status: 503,
    title: 'Upstream busy',
    detail: 'Too many requests wait for this upstream already. Try again when Retry-After says.',
    advice:
      'The upstream is slow: 80 requests of this repository hang, or five fetches of this workspace go on that took longer than a request. Others would take what the other workspaces need. Try again later.',
    retryAfterSeconds: 15,
    isOfUpstream: true,
  },
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
} as const satisfies Record<string, ErrorKind>;
