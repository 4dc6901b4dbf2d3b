import type { ErrorKind } from './error-kind.ts';

/** The errors of remote repositories: what their upstreams do, and what may not leave them. */
export const upstreamErrorKinds = {
  VERSION_HELD: {
    status: 403,
    title: 'Version held back',
    detail: 'The release gate of this remote repository holds this version back.',
    advice:
      'The version is too new, or the gate cannot know how old it is. `detail` says which gate holds it back, why, and until when, and `X-Stockroom-Held-Until` has that time, if it will pass then. Use an older version, wait, or ask an admin of the workspace to add the version to `exempt` of `releaseGate`.',
    headers: ['X-Stockroom-Held-Until'],
  },
  VERSION_BLOCKED: {
    status: 403,
    title: 'Version blocked',
    detail: 'A verdict of this workspace blocks this version.',
    advice:
      'An admin of the workspace decided that nobody gets this version from an upstream. `detail` says which verdict blocks it and why, and `X-Stockroom-Held-Until` has the time when it ends, if it has an end. Use another version, or ask an admin of the workspace for a verdict that allows it.',
    headers: ['X-Stockroom-Held-Until'],
  },
  VERDICT_NOT_FOUND: {
    status: 404,
    title: 'Verdict not found',
    detail: 'There is no verdict on this package in this workspace.',
    advice: 'Check the package type and the name: the list of verdicts contains those that have not ended.',
  },
  TOO_MANY_VERDICTS: {
    status: 409,
    title: 'Too many verdicts',
    detail: 'This workspace has too many verdicts on packages of this type.',
    advice:
      'The verdicts on one package type may have 64 KiB in all, because every read of its remote repositories reads them. Delete some, shorten their reasons, or decide about the beginning of names with `*`.',
  },
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
      'The upstream is slow: 80 requests of this repository hang, 240 of this workspace wait for upstreams, or five of its fetches go on that took longer than a request. Others would take what the other workspaces need. Try again later.',
    retryAfterSeconds: 15,
    isOfUpstream: true,
  },
} as const satisfies Record<string, ErrorKind>;
