import { endpoints } from '../../functions/endpoints.ts';
import type { Pin } from './pin.ts';
import { edgePins, firewallPins } from './pins-edge.ts';
import { functionPins, releasePins, rightsPins } from './pins-functions.ts';
import { watchPins } from './pins-watching.ts';
import type { TemplateResource } from './templates.ts';

const table = 'AWS::DynamoDB::Table';
const key = 'AWS::KMS::Key';
const secret = 'AWS::SecretsManager::Secret';

const logical = (text: string) => (resource: TemplateResource) => JSON.stringify(resource.Properties).includes(text);

const keyPins: readonly Pin[] = [
  { promise: 'there are two keys: of the table, of the upstream passwords', type: key, count: 2 },
  { promise: 'keys rotate', type: key, path: 'Properties.EnableKeyRotation', expected: true },
  { promise: 'a deleted key can be saved for a week', type: key, path: 'Properties.PendingWindowInDays', expected: 7 },
  {
    promise: 'the key of the table works only through DynamoDB, for this account',
    type: key,
    of: logical('The table of Stockroom'),
    path: 'Properties.KeyPolicy.Statement.1.Condition',
    expected: {
      StringEquals: {
        'kms:CallerAccount': { Ref: 'AWS::AccountId' },
        'kms:ViaService': { 'Fn::Join': ['', ['dynamodb.', { Ref: 'AWS::Region' }, '.', { Ref: 'AWS::URLSuffix' }]] },
      },
    },
  },
  {
    promise: 'through DynamoDB the key of the table can be used, not managed',
    type: key,
    of: logical('The table of Stockroom'),
    path: 'Properties.KeyPolicy.Statement.1.Action',
    expected: ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'],
  },
  {
    promise: 'the key of the upstream passwords trusts the account alone',
    type: key,
    of: logical('Passwords of upstream'),
    path: 'Properties.KeyPolicy.Statement.1',
    expected: undefined,
  },
];

const tablePins: readonly Pin[] = [
  { promise: 'there is one table', type: table, count: 1 },
  { promise: 'the table is paid by request', type: table, path: 'Properties.BillingMode', expected: 'PAY_PER_REQUEST' },
  {
    promise: 'the table can be restored to any second',
    type: table,
    path: 'Properties.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled',
    expected: true,
  },
  {
    promise: 'of the last 35 days',
    type: table,
    path: 'Properties.PointInTimeRecoverySpecification.RecoveryPeriodInDays',
    expected: 35,
  },
  {
    promise: 'the table is encrypted by KMS',
    type: table,
    path: 'Properties.SSESpecification.SSEType',
    expected: 'KMS',
  },
  { promise: 'and always encrypted', type: table, path: 'Properties.SSESpecification.SSEEnabled', expected: true },
  {
    promise: 'with a key of its own',
    type: table,
    path: 'Properties.SSESpecification.KMSMasterKeyId.Fn::GetAtt.0',
    rule: (id) => /^TableKey[0-9A-F]{8}$/.test(String(id)),
  },
  {
    promise: 'expired items go',
    type: table,
    path: 'Properties.TimeToLiveSpecification',
    expected: { AttributeName: 'expiresAt', Enabled: true },
  },
  {
    promise: 'items are found by pk and sk',
    type: table,
    path: 'Properties.KeySchema',
    expected: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
  },
  { promise: 'there is no index', type: table, path: 'Properties.GlobalSecondaryIndexes', expected: undefined },
];

const firstAdminPins: readonly Pin[] = [
  { promise: 'there is one secret', type: secret, count: 1 },
  {
    promise: 'the password of the first admin is made by Secrets Manager',
    type: secret,
    path: 'Properties.GenerateSecretString',
    expected: { ExcludePunctuation: true, PasswordLength: 32 },
  },
  { promise: 'no password stands in the template', type: secret, path: 'Properties.SecretString', expected: undefined },
  {
    promise: 'the first admin is made by a custom resource that cannot hang',
    type: 'Custom::FirstAdmin',
    count: 1,
    path: 'Properties.ServiceTimeout',
    expected: '300',
  },
];

const ceilings = (read: number, write: number): readonly Pin[] => [
  {
    promise: 'reads have a ceiling',
    type: table,
    path: 'Properties.OnDemandThroughput.MaxReadRequestUnits',
    expected: read,
  },
  {
    promise: 'writes have a ceiling',
    type: table,
    path: 'Properties.OnDemandThroughput.MaxWriteRequestUnits',
    expected: write,
  },
];

const keeping = (policy: 'Retain' | 'Delete', isProtected: boolean): readonly Pin[] => [
  { promise: `the table: ${policy} with the stack`, type: table, path: 'DeletionPolicy', expected: policy },
  { promise: `a table that is replaced: ${policy}`, type: table, path: 'UpdateReplacePolicy', expected: policy },
  { promise: `the keys: ${policy} with the stack`, type: key, path: 'DeletionPolicy', expected: policy },
  { promise: `the secret: ${policy} with the stack`, type: secret, path: 'DeletionPolicy', expected: policy },
  {
    promise: `deletion protection is ${isProtected ? 'on' : 'off'}`,
    type: table,
    path: 'Properties.DeletionProtectionEnabled',
    expected: isProtected,
  },
];

const always = [...tablePins, ...keyPins, ...firstAdminPins, ...functionPins, ...rightsPins];

/** The promises about each template, by the stage whose settings make it. */
export const pins: Readonly<Record<'dev' | 'prod', readonly Pin[]>> = {
  dev: [
    ...always,
    ...ceilings(2000, 1000),
    ...keeping('Delete', false),
    ...releasePins(undefined),
    ...edgePins({ rate: 100, burst: 200, logDays: 7, logRole: 'Delete' }),
    ...watchPins({ name: 'Stockroom-dev', email: undefined }),
    { promise: 'there is no firewall', type: 'AWS::WAFv2::WebACL', count: 0 },
    {
      promise: 'the concurrency of the authorizer is not reserved: a new account has ten',
      type: 'AWS::Lambda::Function',
      path: 'Properties.ReservedConcurrentExecutions',
      expected: undefined,
    },
  ],
  prod: [
    ...always,
    ...ceilings(10_000, 4_000),
    ...keeping('Retain', true),
    ...releasePins(endpoints.length + 1),
    ...edgePins({ rate: 500, burst: 1000, logDays: 90, logRole: 'Retain' }),
    ...watchPins({ name: 'Stockroom-prod', email: 'alarms@example.com' }),
    ...firewallPins,
    {
      promise: 'the concurrency of the authorizer is reserved',
      type: 'AWS::Lambda::Function',
      of: ({ Metadata }) => Metadata?.['stockroom:functionId'] === 'authorizer',
      path: 'Properties.ReservedConcurrentExecutions',
      expected: 100,
    },
  ],
};
