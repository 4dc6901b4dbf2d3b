import type { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Alias, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';

/** The percentage of calls of an alias that crashed or ran out of time, where there are at least five in a period. Only Lambda counts them. */
export const percentOfCrashes = (alias: Alias, period: Duration): MathExpression =>
  new MathExpression({
    expression: 'IF(crashed >= 5, 100 * crashed / calls, 0)',
    usingMetrics: { crashed: alias.metricErrors({ period }), calls: alias.metricInvocations({ period }) },
    label: 'crashed, %',
    period,
  });

/**
 * The share of credentials that the current version of the authorizer refuses, less that of all versions behind the alias, in
 * percentage points. Lambda counts a refused credential as an error, and each version of an alias apart. As soon as the version
 * has all traffic, the difference is zero: a flood of wrong credentials rolls nothing back and blocks no release.
 * docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html
 */
export const moreRefusals = (authorizer: LambdaFunction, alias: string, period: Duration): MathExpression => {
  const { functionName, currentVersion } = authorizer;
  const ofAlias = { FunctionName: functionName, Resource: `${functionName}:${alias}` };
  const ofVersion = { ...ofAlias, ExecutedVersion: currentVersion.version };
  const sum = (metricName: string, dimensionsMap: Record<string, string>): Metric =>
    new Metric({ namespace: 'AWS/Lambda', metricName, dimensionsMap, statistic: 'Sum', period });
  return new MathExpression({
    expression: 'IF(calls >= 20, 100 * refused / calls - 100 * allRefused / allCalls, 0)',
    usingMetrics: {
      calls: sum('Invocations', ofVersion),
      refused: sum('Errors', ofVersion),
      allCalls: sum('Invocations', ofAlias),
      allRefused: sum('Errors', ofAlias),
    },
    label: 'refused by the new version beyond the others, percentage points',
    period,
  });
};
