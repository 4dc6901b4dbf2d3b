import { type Acknowledgment, Duration, Names, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AnyPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type CfnBucket,
  HttpMethods,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import type { Contract } from '../shared/http/contract.ts';
import type { StoreRight } from '../shared/http/function-rights.ts';
import { rightsIn } from './api/rights.ts';
import { pageUploads } from './page-uploads.ts';
import { grantedTo } from './released-rights.ts';
import type { Settings } from './settings.ts';

/**
 * The bucket that holds what is published: `blobs/` are written once and never change, `staging/` is on its way there.
 * Encrypted by S3's own keys: under a key of our own, every reader and every presigned URL would need a right to that key
 * and cost a call of KMS. Nothing in the stack may empty the bucket, so `cdk destroy` asks for an empty one.
 */
export class Store extends Bucket {
  constructor(scope: Construct, id: string, { keepsData }: Settings) {
    const removalPolicy = keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
    super(scope, id, {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      versioned: false,
      lifecycleRules: [
        { id: 'staging', prefix: 'staging/', expiration: Duration.days(2) },
        { id: 'unfinished-uploads', abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
      cors: [
        {
          allowedMethods: [HttpMethods[pageUploads.method]],
          allowedOrigins: [pageUploads.origin],
          allowedHeaders: [pageUploads.header],
          maxAge: pageUploads.seconds,
        },
      ],
      removalPolicy,
    });
    this.addToResourcePolicy(
      new PolicyStatement({
        sid: 'WriteBlobsOnce',
        effect: Effect.DENY,
        principals: [new AnyPrincipal()],
        actions: ['s3:PutObject'],
        resources: [this.arnForObjects('blobs/*')],
        // The steps of a multipart upload before its completion create no object, and cannot carry the header.
        // docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes-enforce.html
        // If-Match replaces one object that is known to be damaged.
        conditions: {
          Null: { 's3:if-none-match': 'true', 's3:if-match': 'true' },
          Bool: { 's3:ObjectCreationOperation': 'true' },
        },
      }),
    );
    this.policy?.applyRemovalPolicy(removalPolicy);
  }
}

/** The right to do some things with the objects of the store: one statement for the objects under each prefix. */
export const storeStatements = (store: Store, rights: readonly StoreRight[]): PolicyStatement[] =>
  Object.entries(actionsByObjects(rights)).map(
    ([objects, actions]) => new PolicyStatement({ actions, resources: [store.arnForObjects(objects)] }),
  );

const actionsByObjects = (rights: readonly StoreRight[]): Readonly<Record<string, string[]>> => {
  const byObjects: Record<string, string[]> = {};
  for (const right of rights) {
    const [action = '', objects = ''] = right.split(' ');
    byObjects[objects] = [...(byObjects[objects] ?? []), `s3:${action}`];
  }
  return byObjects;
};

/** The findings of cdk-nag about these rights. */
export const storeAcknowledgements = (
  store: Store,
  endpoints: readonly Contract[],
  settings: Settings,
  others: readonly StoreRight[],
): Acknowledgment[] => {
  const bucket = store.node.defaultChild as CfnBucket;
  // The functions of endpoints are in nested stacks, the sweeper is in the one of the bucket.
  const names = [`referenceto${Names.nodeUniqueId(bucket.node)}Arn`, `${Stack.of(store).getLogicalId(bucket)}.Arn`];
  const ofEndpoints = endpoints.flatMap((endpoint) => grantedTo(endpoint.id, rightsIn(endpoint, settings)).store);
  const rights = Object.keys(actionsByObjects([...ofEndpoints, ...others]));
  const found = rights.flatMap((objects) => names.map((name) => `<${name}>/${objects}`));
  return found.map((resource) => ({
    id: `AwsSolutions::AwsSolutions-IAM5[Resource::${resource}]`,
    reason: 'The key of an object comes from its content, so a right covers all objects under its prefix.',
  }));
};
