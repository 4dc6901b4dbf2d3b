import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { ErrorCode } from '../../shared/errors.ts';
import { metricDimensions, metricNames, serviceName } from '../../shared/observability/metric-names.ts';
import type { Api } from '../api/api.ts';
import { apiMetric, countGatewayFaults, serviceFaults } from '../api/faults.ts';
import type { Fetcher } from '../api/fetcher.ts';
import type { StockroomTable } from '../table.ts';
import type { Events } from './events.ts';
import type { Importer } from './importer.ts';
import type { Sweeper } from './sweeper.ts';
import type { Verifier } from './verifier.ts';

export interface WatchedProps {
  /** The name of the stack, the API and the namespace of the functions' metrics. */
  readonly name: string;
  readonly api: Api;
  readonly authorizer: IFunction;
  readonly table: StockroomTable;
  readonly fetcher: Fetcher;
  readonly verifier: Verifier;
  readonly importer: Importer;
  readonly sweeper: Sweeper;
  readonly events: Events;
  /** The function of the second front for reads, where the stage has one. */
  readonly front: IFunction | undefined;
}

const period = Duration.minutes(5);

/** A metric that Lambda writes about one function. */
export const ofFunction = ({ functionName }: IFunction, metricName: string, statistic: string, label: string): Metric =>
  new Metric({
    namespace: 'AWS/Lambda',
    metricName,
    dimensionsMap: { FunctionName: functionName },
    statistic,
    period,
    label,
  });

/** A metric that Lambda writes about all functions of the account and Region together. */
export const ofAllFunctions = (metricName: string, statistic: string, label: string): Metric =>
  new Metric({ namespace: 'AWS/Lambda', metricName, statistic, period, label });

/** The metrics of the alarms and of the dashboard. */
export class WatchedMetrics extends Construct {
  private readonly props: WatchedProps;
  readonly authorizerFailures: Metric;
  /** Requests that were answered 401, by API Gateway or by a function. */
  readonly unauthenticated: Metric;

  constructor(scope: Construct, id: string, props: WatchedProps) {
    super(scope, id);
    this.props = props;
    countGatewayFaults(props.api.accessLog, props.name);
    // Lambda counts each refused credential as an error of the authorizer, so only the API knows when it really failed.
    this.authorizerFailures = props.api.accessLog
      .addMetricFilter('AuthorizerFailures', {
        metricNamespace: props.name,
        metricName: 'authorizerFailures',
        filterPattern: FilterPattern.any(
          FilterPattern.stringValue('$.errorType', '=', 'AUTHORIZER_FAILURE'),
          FilterPattern.stringValue('$.errorType', '=', 'AUTHORIZER_CONFIGURATION_ERROR'),
        ),
        metricValue: '1',
      })
      .metric({ statistic: 'Sum', period, label: 'authorizer failures' });
    this.unauthenticated = props.api.accessLog
      .addMetricFilter('Unauthenticated', {
        metricNamespace: props.name,
        metricName: 'unauthenticated',
        filterPattern: FilterPattern.stringValue('$.status', '=', '401'),
        metricValue: '1',
      })
      .metric({ statistic: 'Sum', period, label: '401' });
  }

  /** The requests that failed by a fault of the service. */
  faults(): MathExpression {
    return serviceFaults(this.props.name, period);
  }

  /** A metric that the functions write. */
  counted(name: keyof typeof metricNames, label: string): Metric {
    return new Metric({
      namespace: this.props.name,
      metricName: metricNames[name],
      dimensionsMap: { [metricDimensions.service]: serviceName },
      statistic: 'Sum',
      period,
      label,
    });
  }

  /** The requests that were refused for one reason. */
  refusedFor(code: ErrorCode, label: string): Metric {
    return new Metric({
      namespace: this.props.name,
      metricName: metricNames.refusals,
      dimensionsMap: { [metricDimensions.service]: serviceName, [metricDimensions.reason]: code },
      statistic: 'Sum',
      period,
      label,
    });
  }

  /** Refused requests, one line per error code. */
  refusalsByReason(): MathExpression {
    const { service, reason } = metricDimensions;
    const search = `{"${this.props.name}",${service},${reason}} MetricName="${metricNames.refusals}"`;
    return new MathExpression({ expression: `SEARCH('${search}', 'Sum')`, usingMetrics: {}, label: '', period });
  }

  api(metricName: string, statistic: string, label: string): Metric {
    return apiMetric(this.props.name, metricName, { statistic, period, label });
  }

  /** The requests of clients. One that the front passes on to the API is there twice. */
  private requests(): IMetric {
    const ofApi = this.api('Count', 'Sum', 'requests');
    const { front } = this.props;
    if (!front) return ofApi;
    return new MathExpression({
      expression: 'FILL(ofApi, 0) + FILL(ofFront, 0)',
      usingMetrics: { ofApi, ofFront: ofFunction(front, 'Invocations', 'Sum', 'requests of the front') },
      label: 'requests',
      period,
    });
  }

  /** The percentage of requests with a fault of the service; below a hundred requests, each fault counts as one percent. */
  faultPercent(): MathExpression {
    return new MathExpression({
      expression: 'IF(requests > 100, 100 * faults / requests, faults)',
      usingMetrics: {
        faults: this.faults(),
        requests: this.requests(),
      },
      label: 'failed requests, %',
      period,
    });
  }

  /** The percentage of requests that are refused with 401, where there are more than a hundred of them. */
  unauthenticatedPercent(): MathExpression {
    return new MathExpression({
      expression: 'IF(refused > 100, 100 * refused / requests, 0)',
      usingMetrics: { refused: this.unauthenticated, requests: this.api('Count', 'Sum', 'requests') },
      label: 'refused with 401, %',
      period,
    });
  }

  /** The latency that one request of a hundred exceeds, where there are more than a hundred: of fewer, it is that of a single one. */
  slowest(): MathExpression {
    return new MathExpression({
      expression: 'IF(requests > 100, slowest, 0)',
      usingMetrics: {
        slowest: this.api('Latency', 'p99', 'p99, ms'),
        requests: this.api('Count', 'Sum', 'requests'),
      },
      label: 'p99, ms',
      period,
    });
  }

  authorizer(metricName: string, statistic: string, label: string): Metric {
    return ofFunction(this.props.authorizer, metricName, statistic, label);
  }

  fetcher(metricName: string, label: string): Metric {
    return ofFunction(this.props.fetcher.fetcher, metricName, 'Sum', label);
  }

  verifier(metricName: string, label: string): Metric {
    return ofFunction(this.props.verifier.verifier, metricName, 'Sum', label);
  }

  importer(metricName: string, label: string): Metric {
    return ofFunction(this.props.importer.importer, metricName, 'Sum', label);
  }

  tableUnits(metricName: string, label: string): Metric {
    return this.props.table.metric(metricName, { statistic: 'Sum', period, label });
  }

  failedSweeps(): Metric {
    return this.props.sweeper.failures.metricApproximateNumberOfMessagesVisible({ period, label: 'failed sweeps' });
  }

  /** The runs of the pipe that failed, which it repeats for a day. */
  failedEvents(): Metric {
    return new Metric({
      namespace: 'AWS/EventBridge/Pipes',
      metricName: 'ExecutionFailed',
      dimensionsMap: { PipeName: this.props.events.pipeName },
      statistic: 'Sum',
      period,
      label: 'failed runs',
    });
  }

  undeliveredEvents(): Metric {
    return this.props.events.failures.metricApproximateNumberOfMessagesVisible({ period, label: 'undelivered events' });
  }
}
