import type { Acknowledgment } from 'aws-cdk-lib';
import type { Settings } from './settings.ts';

/**
 * The findings of cdk-nag that stand, each with its reason; every other finding stops the synthesis. The tests of the
 * template hold what an acknowledgement might otherwise hide.
 */
export const acknowledgements = ({ firewall, canary, createsAccountLogRole }: Settings): readonly Acknowledgment[] => [
  {
    id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
    reason: 'X-Ray and cloudwatch:DescribeAlarms know no resources; no other statement has this wildcard.',
  },
  {
    id: 'Serverless::Serverless-LambdaStarPermissions',
    reason: 'X-Ray knows no resources; no other statement of a function has a wildcard.',
  },
  {
    id: 'AwsSolutions::AwsSolutions-APIG2',
    reason: 'The functions check each request against its compiled schema, with a sentence for each field.',
  },
  {
    id: 'Serverless::Serverless-LambdaDLQ',
    reason:
      'The API and CloudFormation wait for the answers of these functions; the sweeper has a failure destination.',
  },
  {
    id: 'AwsSolutions::AwsSolutions-SQS3',
    reason: 'The queues are themselves the last place of failed sweeps and undelivered alarms.',
  },
  {
    id: 'Serverless::Serverless-SQSRedrivePolicy',
    reason: 'The queues are themselves the last place of failed sweeps and undelivered alarms.',
  },
  {
    id: 'AwsSolutions::AwsSolutions-SMG4',
    reason:
      'The secret is only how the first password gets to a person, who then changes it; the table holds what counts.',
  },
  ...(createsAccountLogRole
    ? [
        {
          id: 'AwsSolutions::AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
          reason:
            'API Gateway asks for this policy on the role that it writes logs by, which the whole account shares.',
        },
      ]
    : []),
  ...(canary
    ? [
        {
          id: 'AwsSolutions::AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:lambda:<AWS::Region>:<AWS::AccountId>:function:<AWS::StackName>-*]',
          reason: 'CodeDeploy moves the aliases of all functions of this stack, whose names CloudFormation makes up.',
        },
      ]
    : []),
  ...(firewall.enabled
    ? []
    : [
        {
          id: 'AwsSolutions::AwsSolutions-APIG3',
          reason: 'This stage is set to have no firewall, which costs money while idle.',
        },
      ]),
];
