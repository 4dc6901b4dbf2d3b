import { generateKeyPairSync } from 'node:crypto';
import { type Aws, type Check, check, type Json, keysOf, list, ofType } from './checks.ts';

/** Where the door can run on AWS. */
export const doorHosts = ['web-function', 'fargate'] as const;
type DoorHost = (typeof doorHosts)[number];

/** What answers reads of packages beside each host, so that each setting is deployed once. */
const readsBeside = { 'web-function': 'url', fargate: 'edge' } as const;

/** A key that signs addresses of files. Nothing asks whether its secret exists. */
const downloadKey = () => ({
  publicKey: generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .publicKey.export({ type: 'spki', format: 'der' })
    .toString('base64'),
  secretArn: 'arn:aws:secretsmanager:us-east-1:000000000000:secret:downloads-AbCdEf',
});

/** The settings of `dev` with one of the hosts, from the text of cdk.json. Nothing asks whether the certificates exist. */
export const withDoor = (cdkJson: string, uploads: DoorHost): string => {
  const settings = JSON.parse(cdkJson) as { context: { stages: { dev: Json & { door: Json } } } };
  const { dev } = settings.context.stages;
  const arn = (region: string) => `arn:aws:acm:${region}:000000000000:certificate/00000000-0000-0000-0000-000000000000`;
  const hostedZone = null;
  settings.context.stages.dev = {
    ...dev,
    uploads,
    reads: readsBeside[uploads],
    downloadKeys: [downloadKey()],
    domain: { name: 'stockroom.example.com', certificateArn: arn('us-east-1'), hostedZone },
    door: { ...dev.door, certificateArn: arn('us-east-1') },
  };
  return JSON.stringify(settings);
};

/** What a stage has of one of the hosts, and of the setting of reads beside it. */
const countsOf: Readonly<Record<DoorHost, Readonly<Record<string, number>>>> = {
  'web-function': {
    'AWS::Lambda::WebFunction': 1,
    'AWS::Lambda::WebFunctionRevision': 1,
    'AWS::Lambda::WebFunctionEndpoint': 1,
    'AWS::CloudFront::Function': 1,
    'AWS::CloudFront::KeyGroup': 0,
  },
  fargate: {
    'AWS::ECS::Service': 1,
    'AWS::ElasticLoadBalancingV2::LoadBalancer': 1,
    'AWS::CloudFront::VpcOrigin': 1,
    'AWS::CloudFront::Function': 2,
    'AWS::CloudFront::KeyGroup': 1,
    'AWS::CloudFront::PublicKey': 1,
    'AWS::CloudFront::OriginAccessControl': 2,
    'AWS::CloudFront::ResponseHeadersPolicy': 1,
  },
};

/** The door as deployed: its host, CloudFront before it, the key that signs and the secret. */
export const checkDoor = async (aws: Aws, resources: readonly Json[], uploads: DoorHost): Promise<Check[]> => {
  const wanted = { ...countsOf[uploads], 'AWS::CloudFront::Distribution': 1, 'AWS::Lambda::Url': 1 };
  const keys = await Promise.all(keysOf(resources).map((key) => aws('kms', 'describe-key', '--key-id', key)));
  const specs = keys.map((key) => (key?.KeyMetadata as Json | undefined)?.KeySpec);
  const secrets = ofType(resources, 'AWS::SecretsManager::Secret');
  const secret = secrets.find((arn) => arn.includes('DoorEdgeSecret')) ?? '';
  const value = await aws('secretsmanager', 'get-secret-value', '--secret-id', secret);
  const parts = JSON.parse((value?.SecretString as string | undefined) ?? '{}') as Json;
  return [
    check(
      `there is what a ${uploads} needs, and reads: ${readsBeside[uploads]}`,
      Object.fromEntries(Object.keys(wanted).map((type) => [type, ofType(resources, type).length])),
      wanted,
    ),
    check('one key of four is for HMACs', [specs.length, specs.filter((spec) => spec === 'HMAC_256').length], [4, 1]),
    check('the secret of CloudFront has its first value, and no other', Object.keys(parts), ['first']),
    check('of 43 letters and digits', /^[A-Za-z0-9]{43}$/.test(String(parts.first)), true),
  ];
};

/** Whether a stack and its nested stacks are gone. */
export const checkStackGone = async (aws: Aws, stack: string): Promise<Check[]> => {
  const stacks = list(await aws('cloudformation', 'list-stacks'), 'StackSummaries');
  const left = stacks.filter(
    ({ StackName, StackStatus }) => String(StackName).startsWith(stack) && StackStatus !== 'DELETE_COMPLETE',
  );
  return [
    check(
      'the stack with the door is gone',
      left.map(({ StackName }) => StackName),
      [],
    ),
  ];
};
