import { Annotations, type Stack } from 'aws-cdk-lib';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { hasEdge, type Settings } from './settings.ts';

/** AWS refuses a reservation that leaves the account less than this. docs.aws.amazon.com/lambda/latest/dg/lambda-concurrency.html */
const unreservedConcurrencyMin = 100;

/** The concurrency that the functions of a stack reserve. */
const reservedConcurrency = (stack: Stack): number =>
  stack.node
    .findAll()
    .filter((construct) => CfnFunction.isCfnFunction(construct))
    .reduce((sum, { reservedConcurrentExecutions = 0 }) => sum + reservedConcurrentExecutions, 0);

/** What an operator should know before a deployment: the CDK CLI prints it. Call it when the stack is complete. */
export const adviseOperator = (stack: Stack, settings: Settings): void => {
  const { keepsData, alarmEmail, uploads, firewall, createsAccountLogRole } = settings;
  if (createsAccountLogRole)
    Annotations.of(stack).addInfoV2(
      'stockroom:account-log-role',
      'The creation of this stack replaces the role with which API Gateway writes the logs of the whole account and Region. If the ' +
        'account has one already, as after the other stage, set createsAccountLogRole in cdk.json to false. Compare: aws apigateway ' +
        'get-account --query cloudwatchRoleArn.',
    );
  const reserved = reservedConcurrency(stack);
  if (reserved > 0)
    Annotations.of(stack).addInfoV2(
      'stockroom:concurrency',
      `The account needs a quota of ${reserved + unreservedConcurrencyMin} concurrent executions of Lambda in the Region: the ` +
        `functions reserve ${reserved}, and AWS keeps ${unreservedConcurrencyMin} unreserved. A new account has 10, and AWS then ` +
        'refuses the deployment. Compare: aws lambda get-account-settings --query AccountLimit.ConcurrentExecutions. Request ' +
        'more, or set authorizerConcurrency, fetcherConcurrency, upstreamConcurrency and readsConcurrency in cdk.json to less, or to null.',
    );
  if (hasEdge(uploads) && !firewall.enabled)
    Annotations.of(stack).addWarningV2(
      'stockroom:edge-without-firewall',
      'Wrong passwords are counted by the addresses of CloudFront, which many clients share: whoever guesses can keep others ' +
        'from using a password for five minutes. Enable the firewall: behind it, the addresses of the clients count.',
    );
  if (keepsData && alarmEmail === null)
    Annotations.of(stack).addWarningV2(
      'stockroom:alarm-email',
      'No alarm reaches anybody: set alarmEmail in cdk.json, and confirm the subscription that AWS sends to the address.',
    );
};
