import { ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { IDependable } from 'constructs';
import type { PackagesFront } from '../api/packages-front.ts';
import type { Outside } from '../edge/door.ts';
import type { DoorMetrics } from '../edge/door-metrics.ts';
import { ofFunction } from './metrics.ts';

/** When an alarm rings: above a number; or below it or without any, once there is what the number is of. */
type Limit = { readonly above: number } | { readonly below: number; readonly once: IDependable };

/** The condition of an alarm, and what it means. The runbook has a section for each alarm. */
export type Watch = Limit & {
  readonly metric: IMetric;
  /** Number of consecutive periods of the metric, which are of five minutes unless it says something else. */
  readonly periods: number;
  readonly description: string;
};

/** The condition of an alarm as CDK takes it. */
export const conditionOf = (limit: Limit) =>
  'above' in limit
    ? {
        threshold: limit.above,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      }
    : {
        threshold: limit.below,
        comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
        treatMissingData: TreatMissingData.BREACHING,
      };

/** The alarms of the second front for reads. */
export const frontWatchesOf = ({ lambda }: PackagesFront): Readonly<Record<string, Watch>> => ({
  'front-failures': {
    metric: ofFunction(lambda, 'Errors', 'Sum', 'failed'),
    above: 5,
    periods: 1,
    description: 'The front for reads fails or runs out of time, so package managers get 502.',
  },
  'front-throttles': {
    metric: ofFunction(lambda, 'Throttles', 'Sum', 'throttled'),
    above: 0,
    periods: 1,
    description: 'The front for reads has reached its concurrency, so package managers get 429.',
  },
});

/** The alarms of the door. */
export const doorWatchesOf = (
  { failures, balancer }: DoorMetrics,
  { fargate }: Outside,
): Readonly<Record<string, Watch>> => ({
  'door-failures': {
    metric: failures,
    above: 5,
    periods: 1,
    description: 'The door fails to receive large bodies, or cannot reach the API, the store or its key.',
  },
  ...(balancer &&
    fargate && {
      'door-down': {
        metric: balancer.healthy,
        below: 1,
        once: fargate.service,
        periods: 2,
        description: 'No task of the door has answered for ten minutes, so large bodies are refused.',
      },
      'door-unhealthy': {
        metric: balancer.unhealthy,
        above: 0,
        periods: 2,
        description: 'A task of the door has not answered for ten minutes.',
      },
      'door-unreachable': {
        metric: balancer.errors,
        above: 5,
        periods: 1,
        description: 'The balancer answers large bodies itself, because no task of the door does.',
      },
    }),
});
