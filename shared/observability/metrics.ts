import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { config } from '../config.ts';
import { metricDimensions, metricNames, serviceName } from './metric-names.ts';

let metrics: Metrics | undefined;

const add = (name: keyof typeof metricNames, count: number): void => {
  metrics ??= new Metrics({ namespace: config.metricsNamespace, serviceName });
  if (count > 0) metrics.addMetric(metricNames[name], MetricUnit.Count, count);
};

/** The errors by which KMS and DynamoDB say that a caller has no right or a key cannot be used. */
const denials = new Set([
  'AccessDeniedException',
  'DisabledException',
  'KMSInvalidStateException',
  'KeyUnavailableException',
]);

/** Whether AWS refused a call because of rights or keys. */
export const isDenial = (error: unknown): boolean => error instanceof Error && denials.has(error.name);

/** Counts a refusal by AWS; written with the request that met it. */
export const countDenial = (): void => add('accessDenials', 1);

/** Counts a request, as one line in CloudWatch's embedded metric format. */
export const countRequest = (outcome: string, table: { conflicts: number; throttles: number }): void => {
  add('requests', 1);
  add('conflictsRetried', table.conflicts);
  add('tableThrottles', table.throttles);
  if (outcome !== 'OK') {
    add('refusals', 1);
    // Counted for the service, which every set of dimensions begins with, and once more by reason.
    metrics?.addDimensions({});
    metrics?.addDimensions({ [metricDimensions.reason]: outcome });
  }
  metrics?.publishStoredMetrics();
};

/** Counts a password that was not the user's. */
export const countPasswordFailure = (): void => {
  add('passwordFailures', 1);
  metrics?.publishStoredMetrics();
};
