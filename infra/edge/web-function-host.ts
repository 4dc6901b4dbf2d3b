import { Aws, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  CfnWebFunction,
  CfnWebFunctionEndpoint,
  CfnWebFunctionRevision,
  WebFunctionCode,
} from 'aws-cdk-lib/aws-lambda';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { StockroomLog } from '../api/log.ts';
import { type DoorHostProps, type DoorOrigin, doorAnswerSeconds } from './door-host.ts';
import { DoorRole } from './door-role.ts';
import { overTls } from './edge-origins.ts';

/** Requests that one environment answers at the same time. Each may hold two parts of 8 MiB, and an environment has 2 GB. */
const requestsPerEnvironment = 16;

/** The rates that an endpoint can have, up to the one of the stage. docs.aws.amazon.com, CfnWebFunctionEndpoint. */
const allowedRate = (perSecond: number): number =>
  perSecond < 1_000 ? Math.max(100, perSecond - (perSecond % 100)) : perSecond - (perSecond % 1_000);

/**
 * The door as a web function of Lambda, which costs nothing while nobody uploads. The endpoint is public, so the door refuses
 * whoever has not the secret of CloudFront.
 *
 * CDK's own construct names the function by its ARN, with which the domain name of the endpoint cannot be read. The name is
 * unique in all Regions of the account, so it has the Region.
 */
export class WebFunctionHost extends Construct {
  readonly origin: DoorOrigin;

  constructor(scope: Construct, id: string, { name, settings, bundle, statements, environment, log }: DoorHostProps) {
    super(scope, id);
    const functionName = `${name}-door-${Aws.REGION}`;
    const role = new DoorRole(this, 'Role', 'lambda.amazonaws.com', [...statements, writeStatement(log)]);
    const web = new CfnWebFunction(this, 'Function', { functionName });
    const code = codeOf(this, bundle, functionName, settings);
    const revision = new CfnWebFunctionRevision(this, 'Revision', {
      functionName,
      buildConfig: {
        codeConfig: { s3Object: code.location },
        runtimeConfig: { runtime: 'nodejs24.x' },
      },
      serviceConfig: {
        executionRoleArn: role.roleArn,
        // The longest that there is: an upload lasts as long as its bytes come.
        timeoutSeconds: 900,
        maxConcurrencyPerEnvironment: requestsPerEnvironment,
        environmentVariables: { ...environment },
        telemetryConfig: { loggingConfig: { logGroup: log.logGroupName } },
      },
    });
    code.bindTo(revision);
    const endpoint = new CfnWebFunctionEndpoint(this, 'Endpoint', {
      functionName,
      endpointName: 'live',
      endpointType: 'HomeRegion',
      authType: 'ApplicationManaged',
      revisionWeights: [{ revisionId: revision.attrRevisionId, weight: 100 }],
      scalingConfig: { maxEnvironments: settings.door.instancesMax },
      throttleConfig: { rateLimit: allowedRate(settings.throttle.requestsPerSecond) },
    });
    // The name is text, so CloudFormation does not know what must wait for what.
    revision.addResourceDependency(web);
    endpoint.addResourceDependency(web);
    endpoint.addResourceDependency(revision);
    this.origin = { domainName: endpoint.attrDomainName, customOriginConfig: overTls(doorAnswerSeconds) };
  }
}

const writeStatement = ({ logGroupArn }: StockroomLog): PolicyStatement =>
  new PolicyStatement({ actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources: [logGroupArn] });

/** The prefix under which CDK's copy of a bundle is. */
const codeObjects = 'web-function/*';

/**
 * A web function reads its code from a bucket with versions, whenever it starts, and the asset bucket of CDK does not let it. So a
 * function of CDK copies the bundle into a bucket of its own, under a new key for each content; it deletes that version, too.
 */
const codeOf = (scope: Construct, bundle: string, functionName: string, settings: DoorHostProps['settings']) => {
  const bucket = new Bucket(scope, 'Bundles', {
    versioned: true,
    encryption: BucketEncryption.S3_MANAGED,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    enforceSSL: true,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const logGroup = new StockroomLog(scope, 'CopyLog', settings);
  const assets = `arn:${Aws.PARTITION}:s3:::cdk-*-assets-${Aws.ACCOUNT_ID}-${Aws.REGION}/*`;
  const role = new Role(scope, 'CopyRole', {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: {
      copy: new PolicyDocument({
        statements: [
          writeStatement(logGroup),
          new PolicyStatement({ actions: ['s3:GetObject'], resources: [assets] }),
          new PolicyStatement({
            actions: ['s3:PutObject', 's3:DeleteObjectVersion'],
            resources: [bucket.arnForObjects(codeObjects)],
          }),
        ],
      }),
    },
  });
  const code = WebFunctionCode.fromAssetToProvidedBucket(bucket, bundle, {
    copyOptions: { role: role.withoutPolicyUpdates(), logGroup },
  });
  const webFunctionArn = `arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:web-function/${functionName}`;
  // What is in this scope waits for the policy of the bucket.
  const copy = new Construct(scope, 'Copy');
  const { bucketName, objectKey, objectVersion } = code.bind(copy, { webFunctionArn }).s3Location;
  return {
    location: { bucket: bucketName, key: objectKey, ...(objectVersion && { versionId: objectVersion }) },
    bindTo: (revision: CfnWebFunctionRevision) => {
      code.bindToResource(revision);
      revision.node.addDependency(copy);
    },
  };
};
