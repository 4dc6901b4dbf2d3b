import { Match } from 'aws-cdk-lib/assertions';
import { about, exactly, named, type Pin } from './pin.ts';

const account = { Ref: 'AWS::AccountId' };
const root = { AWS: { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ':iam::', account, ':root']] } };
const managedByAccount = exactly({ Action: 'kms:*', Effect: 'Allow', Principal: root, Resource: '*' });
const dynamodb = { 'Fn::Join': ['', ['dynamodb.', { Ref: 'AWS::Region' }, '.', { Ref: 'AWS::URLSuffix' }]] };
const usedThroughDynamodb = exactly({
  Action: ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'],
  Condition: { StringEquals: { 'kms:CallerAccount': account, 'kms:ViaService': dynamodb } },
  Effect: 'Allow',
  Principal: { AWS: '*' },
  Resource: '*',
});

const keyPins: readonly Pin[] = [
  ...about('AWS::KMS::Key', {
    'there are three keys: of the table, of the upstream passwords, of signatures': 3,
    'a deleted key can be saved for a week': { PendingWindowInDays: 7 },
  }),
  ...about(['AWS::KMS::Key', { KeySpec: Match.absent() }], { 'keys rotate': { EnableKeyRotation: true } }),
  ...about(['AWS::KMS::Key', { KeySpec: 'RSA_3072' }], {
    'a key signs documents and does nothing else, and the account alone manages it': {
      KeyUsage: 'SIGN_VERIFY',
      KeyPolicy: { Statement: [managedByAccount] },
    },
  }),
  ...about(['AWS::KMS::Key', { Description: 'The table of Stockroom' }], {
    'the key of the table can be used through DynamoDB, for this account, and is managed by the account alone': {
      KeyPolicy: { Statement: [managedByAccount, usedThroughDynamodb] },
    },
  }),
  ...about(['AWS::KMS::Key', { Description: 'Passwords of upstream repositories' }], {
    'the key of the upstream passwords trusts the account alone': { KeyPolicy: { Statement: [managedByAccount] } },
  }),
];

export interface DataFacts {
  readonly readUnits: number;
  readonly writeUnits: number;
  /** What becomes of the data when the stack goes. */
  readonly policy: 'Retain' | 'Delete';
  readonly secrets: number;
}

const store = { 'Fn::GetAtt': [named('Store'), 'Arn'] };
const objects = (pattern: string) => ({ 'Fn::Join': ['', [store, pattern]] });
const deniedToAll = { Effect: 'Deny', Principal: { AWS: '*' } };

const storePins = (policy: DataFacts['policy']): readonly Pin[] => [
  ...about('AWS::S3::Bucket', {
    'there is one bucket': 1,
    'nothing in it is public': {
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
    },
    'a page of any origin can send an upload to a URL that it was given, and do nothing else': {
      CorsConfiguration: exactly({
        CorsRules: [
          {
            AllowedMethods: ['PUT'],
            AllowedOrigins: ['*'],
            AllowedHeaders: ['x-amz-checksum-sha256'],
            MaxAge: 3_600,
          },
        ],
      }),
    },
    'what is not finished goes, and nothing else': {
      LifecycleConfiguration: {
        Rules: [
          exactly({ ExpirationInDays: 2, Id: 'staging', Prefix: 'staging/', Status: 'Enabled' }),
          exactly({
            AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
            Id: 'unfinished-uploads',
            Status: 'Enabled',
          }),
        ],
      },
      VersioningConfiguration: Match.absent(),
    },
    [`the bucket: ${policy} with the stack`]: { DeletionPolicy: policy },
  }),
  ...about('AWS::S3::BucketPolicy', {
    'the bucket is reached over TLS alone, and blobs are written once': [
      1,
      {
        PolicyDocument: {
          Statement: [
            {
              ...deniedToAll,
              Action: 's3:*',
              Resource: [store, objects('/*')],
              Condition: exactly({ Bool: { 'aws:SecureTransport': 'false' } }),
            },
            {
              ...deniedToAll,
              Action: 's3:PutObject',
              Resource: objects('/blobs/*'),
              Condition: exactly({
                Null: { 's3:if-none-match': 'true', 's3:if-match': 'true' },
                Bool: { 's3:ObjectCreationOperation': 'true' },
              }),
            },
          ],
        },
      },
    ],
  }),
];

/** What holds the data: the table, its keys, the store, the password of the first admin. */
export const dataPins = ({ readUnits, writeUnits, policy, secrets }: DataFacts): readonly Pin[] => [
  ...about('AWS::DynamoDB::Table', {
    'there is one table': 1,
    'the table is paid by request': { BillingMode: 'PAY_PER_REQUEST' },
    'reads have a ceiling': { OnDemandThroughput: { MaxReadRequestUnits: readUnits } },
    'writes have a ceiling': { OnDemandThroughput: { MaxWriteRequestUnits: writeUnits } },
    'the table can be restored to any second': {
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    },
    'of the last 35 days': { PointInTimeRecoverySpecification: { RecoveryPeriodInDays: 35 } },
    'the table is encrypted by KMS': { SSESpecification: { SSEType: 'KMS' } },
    'and always encrypted': { SSESpecification: { SSEEnabled: true } },
    'with a key of its own': { SSESpecification: { KMSMasterKeyId: { 'Fn::GetAtt': [named('TableKey'), 'Arn'] } } },
    'expired items go': { TimeToLiveSpecification: exactly({ AttributeName: 'expiresAt', Enabled: true }) },
    'items are found by pk and sk': {
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    },
    'one index has all records of changes, and there is no other': {
      GlobalSecondaryIndexes: [
        exactly({
          IndexName: 'records',
          KeySchema: [
            { AttributeName: 'recordShard', KeyType: 'HASH' },
            { AttributeName: 'sk', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'ALL' },
          OnDemandThroughput: { MaxReadRequestUnits: readUnits, MaxWriteRequestUnits: writeUnits },
        }),
      ],
      LocalSecondaryIndexes: Match.absent(),
    },
    'the stream of the table has new items': { StreamSpecification: exactly({ StreamViewType: 'NEW_IMAGE' }) },
    [`the table: ${policy} with the stack`]: { DeletionPolicy: policy },
    [`a table that is replaced: ${policy}`]: { UpdateReplacePolicy: policy },
    [`deletion protection is ${policy === 'Retain' ? 'on' : 'off'}`]: {
      DeletionProtectionEnabled: policy === 'Retain',
    },
  }),
  ...storePins(policy),
  ...keyPins,
  ...about('AWS::KMS::Key', { [`the keys: ${policy} with the stack`]: { DeletionPolicy: policy } }),
  ...about('AWS::SecretsManager::Secret', {
    'there is a secret for each user that the stack makes': secrets,
    'no password stands in the template': { SecretString: Match.absent() },
    [`the secret: ${policy} with the stack`]: { DeletionPolicy: policy },
  }),
  ...about(['AWS::SecretsManager::Secret', { Description: Match.stringLikeRegexp('system admin') }], {
    'the password of the first admin is made by Secrets Manager': [
      1,
      { GenerateSecretString: exactly({ ExcludePunctuation: true, PasswordLength: 32 }) },
    ],
  }),
  ...(secrets > 1
    ? about(['AWS::SecretsManager::Secret', { Description: Match.stringLikeRegexp('release-check') }], {
        'that of the check of a release is as long as the random part of a token': [
          1,
          { GenerateSecretString: exactly({ ExcludePunctuation: true, PasswordLength: 43 }) },
        ],
      })
    : []),
  ...about('Custom::FirstAdmin', {
    'the first admin is made by a custom resource that cannot hang': [1, { ServiceTimeout: '300' }],
  }),
];
