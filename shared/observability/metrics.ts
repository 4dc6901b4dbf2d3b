import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { config } from '../config.ts';
import { type ErrorCode, errors } from '../errors.ts';
import { metricDimensions, type metricNames, serviceName } from './metric-names.ts';

let metrics: Metrics | undefined;

/** Only the type of the names, so that no bundle contains the table. */
type MetricName = (typeof metricNames)[keyof typeof metricNames];

const add = (name: MetricName, count: number): void => {
  metrics ??= new Metrics({ namespace: config.metricsNamespace, serviceName });
  if (count > 0) metrics.addMetric(name, MetricUnit.Count, count);
};

/** The errors of KMS and DynamoDB for a missing right and for a key that cannot be used. */
const denials = new Set([
  'AccessDeniedException',
  'DisabledException',
  'KMSInvalidStateException',
  'KeyUnavailableException',
]);

/** Whether AWS refused a call because of a missing right or an unusable key. */
export const isDenial = (error: unknown): boolean => error instanceof Error && denials.has(error.name);

/** Counts a refusal by AWS. The line of the request writes it. */
export const countDenial = (): void => add('accessDenials', 1);

/** Counts a failure of an upstream. The line of the request writes it. */
export const countUpstreamFailure = (isIntegrity: boolean): void => {
  add('upstreamFailures', 1);
  if (isIntegrity) add('integrityRejections', 1);
};

/** Counts an answer that a gate has changed, or would have. The line of the request writes it. */
export const countGated = (metric: 'answersWithout' | 'wouldHold'): void => add(metric, 1);

/** Whether the service itself is the cause of an outcome, and not the client or an upstream. */
const isFault = (code: ErrorCode): boolean => errors[code].status >= 500 && !errors[code].isOfUpstream;

/** The embedded metric format of CloudWatch: the fields of a log line that make it count. */
type EmbeddedMetrics = Readonly<Record<string, unknown>>;

/** Counts a request. Returns the fields that its log line needs to be the line of its metrics, too. */
export const countedRequest = (
  outcome: ErrorCode | 'OK',
  table: { conflicts: number; throttles: number },
): EmbeddedMetrics => {
  add('requests', 1);
  add('conflictsRetried', table.conflicts);
  add('tableThrottles', table.throttles);
  if (outcome !== 'OK') {
    add('refusals', 1);
    add('faults', isFault(outcome) ? 1 : 0);
    // It counts once for the service, which every set of dimensions contains, and once for the reason.
    metrics?.addDimensions({});
    metrics?.addDimensions({ [metricDimensions.reason]: outcome });
  }
  return takeMetrics();
};

/** What was counted so far, without the name of the service, which each log line has. */
const takeMetrics = (): EmbeddedMetrics => {
  const { service: _service, ...fields }: EmbeddedMetrics = metrics?.serializeMetrics() ?? {};
  metrics?.clearMetrics();
  metrics?.clearDimensions();
  return fields;
};

/** Writes what was counted outside of a request. */
export const writeCounts = (): void => {
  if (metrics?.hasStoredMetrics()) metrics.publishStoredMetrics();
};

/** Counts an object that the store has lost, at once: it may be found outside of a request. */
export const countLostObject = (): void => {
  add('lostObjects', 1);
  metrics?.publishStoredMetrics();
};

/** Counts a wrong password. */
export const countPasswordFailure = (): void => {
  add('passwordFailures', 1);
  metrics?.publishStoredMetrics();
};
