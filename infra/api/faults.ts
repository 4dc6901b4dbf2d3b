import type { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type LogGroup } from 'aws-cdk-lib/aws-logs';
import { metricDimensions, metricNames, serviceName } from '../../shared/observability/metric-names.ts';

const ofGateway = 'gatewayFaults';

/**
 * Counts the requests that API Gateway itself refused with 5xx: functions and authorizers that crashed or ran out of time.
 * Where a function answered, the access log has no type of error.
 */
export const countGatewayFaults = (accessLog: LogGroup, namespace: string): void => {
  accessLog.addMetricFilter('GatewayFaults', {
    metricNamespace: namespace,
    metricName: ofGateway,
    filterPattern: FilterPattern.all(
      FilterPattern.stringValue('$.status', '=', '5*'),
      FilterPattern.stringValue('$.errorType', '!=', '-'),
    ),
    metricValue: '1',
  });
};

/** What functions count, those of both fronts. */
const ofFunctions = (namespace: string, name: 'faults' | 'requests', period: Duration): Metric =>
  new Metric({
    namespace,
    metricName: metricNames[name],
    dimensionsMap: { [metricDimensions.service]: serviceName },
    statistic: 'Sum',
    period,
  });

const gatewayFaults = (namespace: string, period: Duration): Metric =>
  new Metric({ namespace, metricName: ofGateway, statistic: 'Sum', period });

/**
 * The requests that failed by a fault of the service: API Gateway's own count of 5xx also contains those that failed because
 * of an upstream, and no release or operator can mend them.
 */
export const serviceFaults = (namespace: string, period: Duration): MathExpression =>
  new MathExpression({
    expression: 'FILL(functions, 0) + FILL(gateway, 0)',
    usingMetrics: {
      functions: ofFunctions(namespace, 'faults', period),
      gateway: gatewayFaults(namespace, period),
    },
    label: 'failed requests',
    period,
  });

/** A metric that API Gateway writes about the whole API. */
export const apiMetric = (apiName: string, metricName: string, settings: MetricOptions): Metric =>
  new Metric({ namespace: 'AWS/ApiGateway', metricName, dimensionsMap: { ApiName: apiName }, ...settings });

/**
 * The percentage of requests with a fault of the service, where there are at least five such faults in a period: of those that functions
 * answered, at either front, and those that API Gateway failed for them.
 */
export const percentOfFaults = (namespace: string, period: Duration): MathExpression =>
  new MathExpression({
    expression: 'IF(faults >= 5, 100 * faults / (FILL(answered, 0) + FILL(gateway, 0)), 0)',
    usingMetrics: {
      faults: serviceFaults(namespace, period),
      answered: ofFunctions(namespace, 'requests', period),
      gateway: gatewayFaults(namespace, period),
    },
    label: 'failed requests, %',
    period,
  });
