/** The metrics that the functions write. infra watches exactly these. */
export const metricNames = {
  requests: 'requests',
  /** Requests that were refused or failed, in total and by the error code in the dimension `reason`. */
  refusals: 'refusals',
  /** Requests that the service itself failed with 5xx, without those that an upstream caused. */
  faults: 'faults',
  /** Calls of the table that were repeated because another request changed the same items. */
  conflictsRetried: 'conflictsRetried',
  /** Calls of the table that were repeated because the table throttled them. */
  tableThrottles: 'tableThrottles',
  passwordFailures: 'passwordFailures',
  /** Calls that AWS refused because a function lacks a right or a key is disabled. */
  accessDenials: 'accessDenials',
  /** Requests to upstreams of remote repositories that gave nothing which can be used. */
  upstreamFailures: 'upstreamFailures',
  /** Of those: files whose length or hash is not what the index of the upstream promised. */
  integrityRejections: 'integrityRejections',
  /** Objects of the bucket that should be there and are not, or that have other bytes than their hash says. */
  lostObjects: 'lostObjects',
  /** Archives of advisories that were refused. */
  refusedImports: 'refusedImports',
  /** Runs of the sweeping job that had no time for all that was due. */
  unfinishedSweeps: 'unfinishedSweeps',
  /** Answers that lack versions which do not pass. */
  answersWithout: 'answersWithout',
  /** Answers that a release gate would have changed or refused if it did not only observe. */
  wouldHold: 'wouldHold',
} as const;

/** The dimensions of those metrics. */
export const metricDimensions = { service: 'service', reason: 'reason' } as const;

/** The name of the service in metrics and log lines. */
export const serviceName = 'stockroom';
