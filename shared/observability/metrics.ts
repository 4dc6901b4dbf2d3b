import { config } from '../config.ts';
import { type ErrorCode, errors } from '../errors.ts';
import { writeMetrics } from './lines.ts';
import { metricDimensions, type metricNames } from './metric-names.ts';

/** Only the type of the names, so that no bundle contains the table. */
type MetricName = (typeof metricNames)[keyof typeof metricNames];

/** What was counted since the last line with metrics. */
const counts = new Map<MetricName, number>();

const add = (name: MetricName, count: number): void => {
  if (count > 0) counts.set(name, (counts.get(name) ?? 0) + count);
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

/** Counts an archive of advisories that was refused. The line of the run writes it. */
export const countRefusedImport = (): void => add('refusedImports', 1);

/** Counts a run of the sweeping job that leaves work for the next one. The line of the run writes it. */
export const countUnfinishedSweep = (): void => add('unfinishedSweeps', 1);

/** Counts an answer that a gate has changed, or would have. The line of the request writes it. */
export const countGated = (metric: 'answersWithout' | 'wouldHold'): void => add(metric, 1);

/** Whether the service itself is the cause of an outcome, and not the client or an upstream. */
const isFault = (code: ErrorCode): boolean => errors[code].status >= 500 && !errors[code].isOfUpstream;

/**
 * The fields of a log line by which CloudWatch counts (its embedded metric format).
 * docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
type EmbeddedMetrics = Readonly<Record<string, unknown>>;

/** What was counted so far, for the service and, where there is a reason, for that as well. */
const takeMetrics = (reason?: ErrorCode): EmbeddedMetrics => {
  const { service, reason: ofReason } = metricDimensions;
  const counted = Object.fromEntries(counts);
  counts.clear();
  const definition = {
    Namespace: config.metricsNamespace,
    Dimensions: reason === undefined ? [[service]] : [[service], [service, ofReason]],
    Metrics: Object.keys(counted).map((Name) => ({ Name })),
  };
  return {
    _aws: { Timestamp: Date.now(), CloudWatchMetrics: [definition] },
    ...(reason !== undefined && { [ofReason]: reason }),
    ...counted,
  };
};

/** Counts a request. Returns the fields that its log line needs to be the line of its metrics, too. */
export const countedRequest = (
  outcome: ErrorCode | 'OK',
  table: { conflicts: number; throttles: number },
): EmbeddedMetrics => {
  add('requests', 1);
  add('conflictsRetried', table.conflicts);
  add('tableThrottles', table.throttles);
  if (outcome === 'OK') return takeMetrics();
  add('refusals', 1);
  add('faults', isFault(outcome) ? 1 : 0);
  return takeMetrics(outcome);
};

/** Writes what was counted outside of a request. */
export const writeCounts = (): void => {
  if (counts.size > 0) writeMetrics(takeMetrics());
};

/** Counts an object that the store has lost, at once: it may be found outside of a request. */
export const countLostObject = (): void => {
  add('lostObjects', 1);
  writeCounts();
};

/** Counts a wrong password. */
export const countPasswordFailure = (): void => {
  add('passwordFailures', 1);
  writeCounts();
};
