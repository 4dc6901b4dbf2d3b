import { type Aws, type Check, check, type Json, keysOf, list, ofType } from './checks.ts';

/** Where the door can run on AWS. */
export const doorHosts = ['web-function', 'fargate'] as const;
type DoorHost = (typeof doorHosts)[number];

/** The settings of `dev` with one of the hosts, from the text of cdk.json. Nothing asks whether the certificates exist. */
export const withDoor = (cdkJson: string, uploads: DoorHost): string => {
  const settings = JSON.parse(cdkJson) as { context: { stages: { dev: Json & { door: Json } } } };
  const { dev } = settings.context.stages;
  const arn = (region: string) => `arn:aws:acm:${region}:000000000000:certificate/00000000-0000-0000-0000-000000000000`;
  const hostedZone = null;
  settings.context.stages.dev = {
    ...dev,
    uploads,
    domain: { name: 'stockroom.example.com', certificateArn: arn('us-east-1'), hostedZone },
    door: { ...dev.door, certificateArn: arn('us-east-1') },
  };
  return JSON.stringify(settings);
};

/** What only one of the hosts has. */
const typesOf = {
  'web-function': ['AWS::Lambda::WebFunction', 'AWS::Lambda::WebFunctionRevision', 'AWS::Lambda::WebFunctionEndpoint'],
  fargate: ['AWS::ECS::Service', 'AWS::ElasticLoadBalancingV2::LoadBalancer', 'AWS::CloudFront::VpcOrigin'],
} as const;

/** The door as deployed: its host, CloudFront before it, the key that signs and the secret. */
export const checkDoor = async (aws: Aws, resources: readonly Json[], uploads: DoorHost): Promise<Check[]> => {
  const wanted = [...typesOf[uploads], 'AWS::CloudFront::Distribution', 'AWS::CloudFront::Function'];
  const keys = await Promise.all(keysOf(resources).map((key) => aws('kms', 'describe-key', '--key-id', key)));
  const specs = keys.map((key) => (key?.KeyMetadata as Json | undefined)?.KeySpec);
  const secrets = ofType(resources, 'AWS::SecretsManager::Secret');
  const secret = secrets.find((arn) => arn.includes('DoorEdgeSecret')) ?? '';
  const value = await aws('secretsmanager', 'get-secret-value', '--secret-id', secret);
  const parts = JSON.parse((value?.SecretString as string | undefined) ?? '{}') as Json;
  return [
    check(
      `there is one of each that a ${uploads} needs`,
      wanted.map((type) => [type, ofType(resources, type).length]),
      wanted.map((type) => [type, 1]),
    ),
    check('one key of three is for HMACs', [specs.length, specs.filter((spec) => spec === 'HMAC_256').length], [3, 1]),
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
