/** The metrics that the functions write, by what they count; infra watches exactly these. */
export const metricNames = {
  requests: 'requests',
  /** Requests that were answered with an error, also by their code in the dimension `reason`. */
  refusals: 'refusals',
  /** Calls of the table that were tried again because another request was at the same items. */
  conflictsRetried: 'conflictsRetried',
  /** Calls of the table that were tried again because it had enough to do. */
  tableThrottles: 'tableThrottles',
  passwordFailures: 'passwordFailures',
  /** Calls that AWS did not allow a function: a right is missing, or a key is disabled. */
  accessDenials: 'accessDenials',
} as const;

/** The dimensions of those metrics. */
export const metricDimensions = { service: 'service', reason: 'reason' } as const;

/** The service that metrics and log lines name. */
export const serviceName = 'stockroom';
