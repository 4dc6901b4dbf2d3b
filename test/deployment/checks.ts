import { endpoints } from '../../functions/endpoints.ts';
import type { Emulator } from './emulator.ts';

/** What a deployment must have brought about, told as one line each. */
export interface Check {
  readonly title: string;
  readonly isMet: boolean;
  readonly found: unknown;
}

type Json = Readonly<Record<string, unknown>>;
type Aws = Emulator['aws'];

const otherFunctions = 3;

const check = (title: string, found: unknown, expected: unknown): Check => ({
  title,
  isMet: JSON.stringify(found) === JSON.stringify(expected),
  found,
});

const list = <T = Json>(answer: Json | undefined, name: string): T[] => (answer?.[name] ?? []) as T[];

const values = <T>(items: readonly Json[], name: string): T[] => [...new Set(items.map((item) => item[name] as T))];

/** Every resource of the stack and the stacks in it, with its state. */
export const resourcesOf = async (aws: Aws, stack: string): Promise<Json[]> => {
  const found = list(await aws('cloudformation', 'describe-stack-resources', '--stack-name', stack), 'StackResources');
  const nested = found.filter(({ ResourceType }) => ResourceType === 'AWS::CloudFormation::Stack');
  const inner = await Promise.all(nested.map(({ PhysicalResourceId: id }) => resourcesOf(aws, String(id))));
  return [...found, ...inner.flat()];
};

const ofType = (resources: readonly Json[], type: string): string[] =>
  resources
    .filter(({ ResourceType }) => ResourceType === type)
    .map(({ PhysicalResourceId }) => String(PhysicalResourceId));

export const checkResources = (resources: readonly Json[], wanted: string): Check[] => [
  check(
    `all ${resources.length} resources are ${wanted}`,
    resources
      .filter(({ ResourceStatus }) => ResourceStatus !== wanted)
      .map(({ LogicalResourceId, ResourceStatus }) => [LogicalResourceId, ResourceStatus]),
    [],
  ),
];

export const checkTable = async (aws: Aws, resources: readonly Json[]): Promise<Check[]> => {
  const [name = ''] = ofType(resources, 'AWS::DynamoDB::Table');
  const about = (operation: string) => aws('dynamodb', operation, '--table-name', name);
  const { Table } = (await about('describe-table')) as { Table: Json };
  const keys = (Table.KeySchema as Record<string, string>[]).map(
    ({ AttributeName, KeyType }) => `${AttributeName} ${KeyType}`,
  );
  const expiry = (await about('describe-time-to-live')) as { TimeToLiveDescription: Json };
  return [
    check('the table has its keys', keys, ['pk HASH', 'sk RANGE']),
    check('the table is on demand', (Table.BillingModeSummary as Json).BillingMode, 'PAY_PER_REQUEST'),
    check('the table is under a key of its own', (Table.SSEDescription as Json).SSEType, 'KMS'),
    check('the table forgets what has expired', expiry.TimeToLiveDescription.AttributeName, 'expiresAt'),
  ];
};

/** The functions of the stack as deployed, each with the version that is live. */
export const functionsOf = async (aws: Aws, resources: readonly Json[]): Promise<Json[]> => {
  const names = new Set(ofType(resources, 'AWS::Lambda::Function'));
  const all = list(await aws('lambda', 'list-functions'), 'Functions');
  const ours = all.filter(({ FunctionName }) => names.has(String(FunctionName)));
  const live = async ({ FunctionName: name }: Json) =>
    (await aws('lambda', 'get-alias', '--function-name', String(name), '--name', 'live'))?.FunctionVersion;
  return Promise.all(ours.map(async (each) => Object.assign(each, { live: await live(each) })));
};

export const checkFunctions = (functions: readonly Json[]): Check[] => [
  check('there is one function per endpoint and three more', functions.length, endpoints.length + otherFunctions),
  check('they run on Node 24', values(functions, 'Runtime'), ['nodejs24.x']),
  check(
    'they run on arm64',
    values<string[]>(functions, 'Architectures').every(([architecture]) => architecture === 'arm64'),
    true,
  ),
  check(
    'they are traced',
    functions.every(({ TracingConfig }) => (TracingConfig as Json).Mode === 'Active'),
    true,
  ),
  check('each has a role of its own', values(functions, 'Role').length, functions.length),
  check(
    'version 1 of each that API Gateway calls is live',
    functions.filter(({ live }) => live === '1').length,
    endpoints.length + 1,
  ),
];

export const checkApi = async (aws: Aws, resources: readonly Json[]): Promise<Check[]> => {
  const [api = ''] = ofType(resources, 'AWS::ApiGateway::RestApi');
  const about = (operation: string, ...words: string[]) => aws('apigateway', operation, '--rest-api-id', api, ...words);
  const paths = list(await about('get-resources', '--limit', '500', '--embed', 'methods'), 'items');
  const methods = paths.flatMap(({ path, resourceMethods = {} }) =>
    Object.entries(resourceMethods as Record<string, Json>).map(([method, settings]) => ({
      route: `${method} ${String(path)}`,
      isOpen: settings.authorizationType !== 'CUSTOM',
    })),
  );
  const routes = (wanted: (access: string) => boolean) =>
    endpoints
      .filter(({ access }) => wanted(access))
      .map(({ method, path }) => `${method} ${path}`)
      .toSorted();
  const open = methods.filter(({ isOpen }) => isOpen).map(({ route }) => route);
  return [
    check(
      'the API has the routes of the endpoints',
      methods.map(({ route }) => route).toSorted(),
      routes(() => true),
    ),
    check(
      'all but the open ones have the authorizer',
      open.toSorted(),
      routes((access) => access === 'public'),
    ),
    check(
      'the API has one stage',
      list(await about('get-stages'), 'item').map(({ stageName }) => stageName),
      ['api'],
    ),
  ];
};

export const checkRest = async (aws: Aws, resources: readonly Json[]): Promise<Check[]> => {
  const keys = ofType(resources, 'AWS::KMS::Key');
  const rotations = await Promise.all(keys.map((key) => aws('kms', 'get-key-rotation-status', '--key-id', key)));
  const alarms = list(await aws('cloudwatch', 'describe-alarms'), 'MetricAlarms');
  const rules = list(await aws('events', 'list-rules'), 'Rules');
  return [
    check(
      'both keys rotate',
      rotations.map((rotation) => rotation?.KeyRotationEnabled),
      [true, true],
    ),
    check('the alarms are there', alarms.length, ofType(resources, 'AWS::CloudWatch::Alarm').length),
    check(
      'the sweeper is scheduled',
      rules.map(({ ScheduleExpression }) => ScheduleExpression),
      ['rate(1 hour)'],
    ),
    check('the password of the first admin is a secret', ofType(resources, 'AWS::SecretsManager::Secret').length, 1),
  ];
};

/** What is left after the stack went. */
export const checkGone = async (aws: Aws, stack: string, keys: readonly string[]): Promise<Check[]> => {
  const states = await Promise.all(keys.map((key) => aws('kms', 'describe-key', '--key-id', key)));
  const logs = list(await aws('logs', 'describe-log-groups', '--log-group-name-prefix', stack), 'logGroups');
  return [
    check('no table is left', list(await aws('dynamodb', 'list-tables'), 'TableNames'), []),
    check('no function is left', list(await aws('lambda', 'list-functions'), 'Functions').length, 0),
    check('no API is left', list(await aws('apigateway', 'get-rest-apis'), 'items').length, 0),
    check('no log group is left', logs.length, 0),
    check('no alarm is left', list(await aws('cloudwatch', 'describe-alarms'), 'MetricAlarms').length, 0),
    check('no secret is left', list(await aws('secretsmanager', 'list-secrets'), 'SecretList').length, 0),
    check(
      'the keys wait for their end',
      states.map((state) => (state?.KeyMetadata as Json | undefined)?.KeyState),
      keys.map(() => 'PendingDeletion'),
    ),
  ];
};

export const keysOf = (resources: readonly Json[]): string[] => ofType(resources, 'AWS::KMS::Key');
export const tableOf = (resources: readonly Json[]): string => ofType(resources, 'AWS::DynamoDB::Table')[0] ?? '';
