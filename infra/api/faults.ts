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

/**
 * The requests that failed by a fault of the service: API Gateway's own count of 5xx also contains those that failed because
 * of an upstream, and no release or operator can mend them.
 */
export const serviceFaults = (namespace: string, period: Duration): MathExpression => {
  const settings = { namespace, statistic: 'Sum', period } as const;
  return new MathExpression({
    expression: 'FILL(functions, 0) + FILL(gateway, 0)',
    usingMetrics: {
      functions: new Metric({
        ...settings,
        metricName: metricNames.faults,
        dimensionsMap: { [metricDimensions.service]: serviceName },
      }),
      gateway: new Metric({ ...settings, metricName: ofGateway }),
    },
    label: 'failed requests',
    period,
  });
};

/** A metric that API Gateway writes about the whole API. */
export const apiMetric = (apiName: string, metricName: string, settings: MetricOptions): Metric =>
  new Metric({ namespace: 'AWS/ApiGateway', metricName, dimensionsMap: { ApiName: apiName }, ...settings });

/** The percentage of requests with a fault of the service, where there are at least five such faults in a period. */
export const percentOfFaults = (name: string, period: Duration): MathExpression =>
  new MathExpression({
    expression: 'IF(faults >= 5, 100 * faults / requests, 0)',
    usingMetrics: {
      faults: serviceFaults(name, period),
      requests: apiMetric(name, 'Count', { statistic: 'Sum', period }),
    },
    label: 'failed requests, %',
    period,
  });
