import type { Acknowledgment } from 'aws-cdk-lib';
import type { Settings } from './settings.ts';

/**
 * The findings of cdk-nag that this stack accepts, each with its reason; any other finding stops the synthesis. The
 * tests of the template check what an acknowledgement could hide.
 */
export const acknowledgements = ({
  advisories,
  firewall,
  canary,
  createsAccountLogRole,
  reads,
}: Settings): readonly Acknowledgment[] => [
  {
    id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
    reason: 'X-Ray and cloudwatch:DescribeAlarms cannot be limited to resources; no other statement has this wildcard.',
  },
  {
    id: 'Serverless::Serverless-LambdaStarPermissions',
    reason: 'X-Ray cannot be limited to resources; no other statement of a function has a wildcard.',
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
    id: 'Serverless::Serverless-LambdaAsyncFailureDestination',
    reason:
      'The table has the failure of a fetch for the clients that wait for it, and a later request begins a new fetch.',
  },
  {
    id: 'AwsSolutions::AwsSolutions-S1',
    reason:
      'Objects are reached through functions, and by URLs that functions make for minutes: their logs say who asked.',
  },
  {
    id: 'AwsSolutions::AwsSolutions-SQS3',
    reason: 'These queues are the dead-letter queues: of failed sweeps and of undelivered alarms.',
  },
  {
    id: 'Serverless::Serverless-SQSRedrivePolicy',
    reason: 'These queues are the dead-letter queues: of failed sweeps and of undelivered alarms.',
  },
  {
    id: 'AwsSolutions::AwsSolutions-SMG4',
    reason:
      'The secret only brings the first password to a person, who then changes it; what counts is the hash in the table.',
  },
  ...(advisories.hourly.length > 0
    ? [
        {
          id: 'Serverless::Serverless-EventBusDLQ',
          reason: 'An hourly update that is lost is made up for by the next; the schedule of the sweeper has a queue.',
        },
      ]
    : []),
  ...(createsAccountLogRole
    ? [
        {
          id: 'AwsSolutions::AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
          reason:
            'API Gateway requires this policy on the role with which it writes logs; the whole account shares that role.',
        },
      ]
    : []),
  ...(canary
    ? [
        {
          id: 'AwsSolutions::AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:lambda:<AWS::Region>:<AWS::AccountId>:function:<AWS::StackName>-*]',
          reason: 'CodeDeploy moves the aliases of all functions of this stack; CloudFormation chooses their names.',
        },
        {
          id: 'AwsSolutions::AwsSolutions-IAM5[Resource::<FunctionsAuthorizerFunction634D8BA5.Arn>:*]',
          reason: 'The check of a release calls the version that the release brings: any version of this one function.',
        },
      ]
    : []),
  ...(reads !== 'gateway'
    ? [
        {
          id: 'Serverless::Serverless-LambdaTracing',
          reason:
            'Lambda alone would trace one read of packages in twenty: the front only goes on with a trace that came.',
        },
      ]
    : []),
  ...(firewall.enabled
    ? []
    : [
        {
          id: 'AwsSolutions::AwsSolutions-APIG3',
          reason: 'The settings turn the firewall of this stage off: it costs money while idle.',
        },
      ]),
];
