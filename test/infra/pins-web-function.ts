import { Match } from 'aws-cdk-lib/assertions';
import { hostName } from './hosts.ts';
import { about, exactly, named, type Pin } from './pin.ts';
import { get, joined } from './pins-cloudfront.ts';
import { arn } from './pins-edge.ts';

const region = { Ref: 'AWS::Region' };
const account = { Ref: 'AWS::AccountId' };

/** The variables of the door on every host. */
export const doorVariables = {
  STORE_BUCKET: { Ref: named('Store') },
  DOOR_KEY_ID: get('DoorKey', 'Arn'),
  API_URL: joined(
    'https://',
    { Ref: named('ApiRestApi') },
    '.execute-api.',
    region,
    '.',
    { Ref: 'AWS::URLSuffix' },
    '/api',
  ),
  PUBLIC_URL: `https://${hostName}`,
  EDGE_SECRET_ARN: { Ref: named('DoorEdgeSecret') },
  METRICS_NAMESPACE: 'Stockroom-prod',
  INSTALLATION: { Ref: named('Table') },
};

const functionName = joined('Stockroom-prod-door-', region);
const bundles = get('DoorWebBundles', 'Arn');
const objects = (rest: unknown) => joined(bundles, rest);
const onlyOverTls = exactly({
  Effect: 'Deny',
  Action: 's3:*',
  Principal: { AWS: '*' },
  Resource: [bundles, objects('/*')],
  Condition: { Bool: { 'aws:SecureTransport': 'false' } },
});
const copied = (attribute: string) => ({
  'Fn::GetAtt': [Match.stringLikeRegexp('^DoorWebCopyCodeCopy[0-9a-fA-F]+$'), attribute],
});

/** The door as a web function of Lambda. */
export const webFunctionPins: readonly Pin[] = [
  ...about('AWS::Lambda::WebFunction', {
    'the web function is named by text, of which no Region has another': [1, { FunctionName: functionName }],
  }),
  ...about('AWS::Lambda::WebFunctionRevision', {
    'its revision is of the bundle as it was copied, on Node 24': [
      1,
      {
        FunctionName: functionName,
        BuildConfig: exactly({
          CodeConfig: {
            S3Object: { Bucket: copied('Bucket'), Key: copied('Key'), VersionId: copied('VersionId') },
          },
          RuntimeConfig: { Runtime: 'nodejs24.x' },
        }),
      },
    ],
    'it is made after the function, which it names by text alone': {
      DependsOn: [Match.stringLikeRegexp('^DoorWebCopyCodeCopy[0-9a-fA-F]+$'), named('DoorWebFunction')],
    },
    'an upload may last a quarter of an hour': { ServiceConfig: { TimeoutSeconds: 900 } },
    'an environment has memory for what it answers at once': { ServiceConfig: { MaxConcurrencyPerEnvironment: 16 } },
    'it has a role and a log of its own': {
      ServiceConfig: {
        ExecutionRoleArn: get('DoorWebRole', 'Arn'),
        TelemetryConfig: { LoggingConfig: { LogGroup: { Ref: named('DoorLog') } } },
      },
    },
    'it knows what it needs, and no secret': { ServiceConfig: { EnvironmentVariables: exactly(doorVariables) } },
  }),
  ...about('AWS::Lambda::WebFunctionEndpoint', {
    'the endpoint is public, because CloudFront proves itself by the secret': [
      1,
      { FunctionName: functionName, AuthType: 'ApplicationManaged', EndpointType: 'HomeRegion', EndpointName: 'live' },
    ],
    'all traffic goes to the revision': {
      RevisionWeights: [exactly({ RevisionId: get('DoorWebRevision', 'RevisionId'), Weight: 100 })],
    },
    'a flood costs no more than the settings allow': {
      ScalingConfig: { MaxEnvironments: 10 },
      ThrottleConfig: { RateLimit: 500 },
    },
  }),
  ...about(['AWS::S3::Bucket', { VersioningConfiguration: Match.anyValue() }], {
    'the bundles are in a bucket with versions, which nobody else reads': [
      1,
      {
        VersioningConfiguration: { Status: 'Enabled' },
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
        BucketEncryption: {
          ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
        },
      },
    ],
  }),
  ...about(['AWS::S3::BucketPolicy', { Bucket: { Ref: named('DoorWebBundles') } }], {
    'Lambda reads the bundle for the revisions of this web function alone': [
      1,
      {
        PolicyDocument: {
          Statement: [
            onlyOverTls,
            exactly({
              Effect: 'Allow',
              Action: ['s3:GetObject', 's3:GetObjectVersion'],
              Principal: { Service: 'lambda.amazonaws.com' },
              Resource: objects(Match.stringLikeRegexp('^/web-function/[A-Za-z0-9]+/\\*$')),
              Condition: {
                StringEquals: { 'aws:SourceAccount': account },
                ArnLike: {
                  'aws:SourceArn': arn(
                    'lambda',
                    ':',
                    account,
                    ':web-function/Stockroom-prod-door-',
                    region,
                    '/revision/*',
                  ),
                },
              },
            }),
          ],
        },
      },
    ],
  }),
];
