import { ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { IDependable } from 'constructs';
import type { PackagesFront } from '../api/packages-front.ts';
import { ofFunction } from './metrics.ts';

/** When an alarm rings: above a number; or below it or without any, once there is what the number is of. */
type Limit = { readonly above: number } | { readonly below: number; readonly once: IDependable };

/** The condition of an alarm, and what it means. The runbook has a section for each alarm. */
export type Watch = Limit & {
  readonly metric: IMetric;
  /** Number of consecutive periods of five minutes. */
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
