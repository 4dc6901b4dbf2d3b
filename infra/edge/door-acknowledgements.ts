import type { Acknowledgment } from 'aws-cdk-lib';
import { hasEdge, type Settings } from '../settings.ts';

const ofEdge: readonly Acknowledgment[] = [
  {
    id: 'AwsSolutions::AwsSolutions-CFR1',
    reason: 'Packages are for whoever has a credential, wherever the pipeline runs; a country is no right.',
  },
  {
    id: 'AwsSolutions::AwsSolutions-CFR2',
    reason: 'The firewall is at API Gateway, which each request reaches; bodies alone go through the door.',
  },
  {
    id: 'AwsSolutions::AwsSolutions-CFR3',
    reason: 'The path of `npm logout` has a token. The functions and the door log each request without it.',
  },
];

const ofWebFunction: readonly Acknowledgment[] = [
  {
    id: 'AwsSolutions::AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::cdk-*-assets-<AWS::AccountId>-<AWS::Region>/*]',
    reason:
      'The copy of the bundle is made from the bucket of `cdk bootstrap`, whose name has a part that is chosen there.',
  },
  {
    id: 'AwsSolutions::AwsSolutions-IAM5[Resource::<DoorWebBundlesF42EC995.Arn>/web-function/*]',
    reason: 'The key of a copied bundle comes from its content; nothing else is in this bucket.',
  },
  {
    id: 'Serverless::Serverless-LambdaDefaultMemorySize',
    reason: 'The one function without it is of CDK and asks S3 to copy a bundle; its memory is never used up.',
  },
  {
    id: 'Serverless::Serverless-LambdaTracing',
    reason: 'The one function without it is of CDK and runs while CloudFormation waits for it, once for each bundle.',
  },
];

const ofFargate: readonly Acknowledgment[] = [
  {
    id: 'AwsSolutions::AwsSolutions-VPC7',
    reason: 'In this network is nothing but the door, which logs each request, and its balancer.',
  },
  {
    id: 'AwsSolutions::AwsSolutions-EC23',
    reason: 'The balancer has private addresses in a network of its own, where CloudFront is the only one who asks.',
  },
  {
    id: 'AwsSolutions::AwsSolutions-ELB2',
    reason: 'The door logs each request, and the balancer would write the path of `npm logout`, which has a token.',
  },
  {
    id: 'AwsSolutions::AwsSolutions-ECS4',
    reason: 'The metrics of the service, the balancer and the door are enough, and free.',
  },
  {
    id: 'AwsSolutions::AwsSolutions-ECS2',
    reason: 'The variables have names of resources and no secret: the door reads its secret by the ARN.',
  },
];

/** The findings of cdk-nag about CloudFront and the hosts of the door that a stage with them accepts. */
export const doorAcknowledgements = ({ uploads }: Settings): readonly Acknowledgment[] => [
  ...(hasEdge(uploads) ? ofEdge : []),
  ...(uploads === 'web-function' ? ofWebFunction : []),
  ...(uploads === 'fargate' ? ofFargate : []),
];
