import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { HttpCodeElb } from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { FilterPattern } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Outside } from './door.ts';
import type { FargateHost } from './fargate-host.ts';

const period = Duration.minutes(5);

/** What Fargate's side of the door tells. */
export interface BalancerMetrics {
  /** Tasks that answer the balancer. It tells nothing of them where none is registered. */
  readonly healthy: Metric;
  /** Tasks that do not answer the balancer. */
  readonly unhealthy: Metric;
  /** Requests that the balancer answered because no task did. */
  readonly errors: Metric;
}

/** The metrics of the door: what its log lines say, on every host, and what its balancer counts, where it has one. */
export class DoorMetrics extends Construct {
  /** Requests that failed by a fault of the door, and lines that it did not write about a request. */
  readonly failures: Metric;
  /** Bodies that went to the store. */
  readonly staged: Metric;
  /** Bodies that ended before their end. */
  readonly cut: Metric;
  readonly balancer: BalancerMetrics | undefined;

  constructor(scope: Construct, id: string, name: string, { log, fargate }: Outside) {
    super(scope, id);
    const counted = (metricName: string, label: string, field: string, value: string): Metric =>
      log
        .addMetricFilter(metricName, {
          metricNamespace: name,
          metricName,
          filterPattern: FilterPattern.stringValue(field, '=', value),
          metricValue: '1',
        })
        .metric({ statistic: 'Sum', period, label });
    this.failures = counted('doorFailures', 'failed', '$.level', 'ERROR');
    this.staged = counted('doorUploads', 'large bodies', '$.way', 'staged');
    this.cut = counted('doorCuts', 'cut', '$.way', 'cut');
    this.balancer = fargate && {
      healthy: ofTasks(fargate, 'HealthyHostCount', 'healthy tasks'),
      unhealthy: ofTasks(fargate, 'UnHealthyHostCount', 'unhealthy tasks'),
      errors: fargate.balancer.metrics.httpCodeElb(HttpCodeElb.ELB_5XX_COUNT, { period, label: 'without a task' }),
    };
  }
}

/** How many tasks there were at most. CDK would cut the name of the balancer out of the ARN of its listener. */
const ofTasks = ({ balancer, targets }: FargateHost, metricName: string, label: string): Metric =>
  new Metric({
    namespace: 'AWS/ApplicationELB',
    metricName,
    dimensionsMap: { LoadBalancer: balancer.loadBalancerFullName, TargetGroup: targets.targetGroupFullName },
    statistic: 'Maximum',
    period,
    label,
  });
