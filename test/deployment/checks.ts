import { endpoints } from '../../functions/endpoints.ts';
import { type Contract, isOpen, methodsOf } from '../../shared/http/contract.ts';
import { tableSchema } from '../../shared/table/schema.ts';
import type { Emulator } from './emulator.ts';

/** What a deployment must have brought about, told as one line each. */
export interface Check {
  readonly title: string;
  readonly isMet: boolean;
  readonly found: unknown;
}

export type Json = Readonly<Record<string, unknown>>;
export type Aws = Emulator['aws'];

const otherFunctions = 6;

export const check = (title: string, found: unknown, expected: unknown): Check => ({
  title,
  isMet: JSON.stringify(found) === JSON.stringify(expected),
  found,
});

export const list = <T = Json>(answer: Json | undefined, name: string): T[] => (answer?.[name] ?? []) as T[];

const values = <T>(items: readonly Json[], name: string): T[] => [...new Set(items.map((item) => item[name] as T))];

/** Every resource of the stack and the stacks in it, with its state. */
export const resourcesOf = async (aws: Aws, stack: string): Promise<Json[]> => {
  const found = list(
    await aws('cloudformation', 'list-stack-resources', '--stack-name', stack),
    'StackResourceSummaries',
  );
  const nested = found.filter(({ ResourceType }) => ResourceType === 'AWS::CloudFormation::Stack');
  const inner = await Promise.all(nested.map(({ PhysicalResourceId: id }) => resourcesOf(aws, String(id))));
  return [...found, ...inner.flat()];
};

export const ofType = (resources: readonly Json[], type: string): string[] =>
  resources
    .filter(({ ResourceType }) => ResourceType === type)
    .map(({ PhysicalResourceId }) => String(PhysicalResourceId));

export const keysOf = (resources: readonly Json[]): string[] => ofType(resources, 'AWS::KMS::Key');
export const tableOf = (resources: readonly Json[]): string => ofType(resources, 'AWS::DynamoDB::Table')[0] ?? '';

export const checkResources = (resources: readonly Json[], wanted: string): Check[] => [
  check(
    `all ${resources.length} resources are ${wanted}`,
    resources
      .filter(({ ResourceStatus }) => ResourceStatus !== wanted)
      .map(({ LogicalResourceId, ResourceStatus }) => [LogicalResourceId, ResourceStatus]),
    [],
  ),
];

/** The types that the emulator has never heard of: it takes note of such a resource and makes none. */
export const typesNotMade = (resources: readonly Json[]): string[] =>
  values<string>(
    resources.filter(({ ResourceStatusReason }) => String(ResourceStatusReason).includes('is not supported')),
    'ResourceType',
  ).toSorted();

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
    check('the table has the index', values(list(Table, 'GlobalSecondaryIndexes'), 'IndexName'), [
      tableSchema.recordsIndex.name,
    ]),
    check('the table streams its new items', (Table.StreamSpecification as Json).StreamViewType, 'NEW_IMAGE'),
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
  check('there is one function per endpoint and six more', functions.length, endpoints.length + otherFunctions),
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
      isUnauthorized: settings.authorizationType !== 'CUSTOM',
    })),
  );
  // The emulator lists no method of the root.
  const routes = (wanted: (contract: Contract) => boolean) =>
    endpoints
      .filter((contract) => contract.path !== '/' && wanted(contract))
      .flatMap((contract) => methodsOf(contract).map((method) => `${method} ${contract.path}`))
      .toSorted();
  const open = methods.filter(({ isUnauthorized }) => isUnauthorized).map(({ route }) => route);
  return [
    check(
      'the API has the routes of the endpoints',
      methods.map(({ route }) => route).toSorted(),
      routes(() => true),
    ),
    check('all but the open ones have the authorizer', open.toSorted(), routes(isOpen)),
    ...(await checkEdge(aws, about)),
  ];
};

/** What the emulator keeps of the stage and of what stands around it. */
const checkEdge = async (aws: Aws, about: (operation: string) => ReturnType<Aws>): Promise<Check[]> => {
  const stages = list(await about('get-stages'), 'item');
  const fields = stages.map(({ accessLogSettings }) => (accessLogSettings as Json | undefined)?.format);
  const authorizers = list(await about('get-authorizers'), 'items');
  const account = await aws('apigateway', 'get-account');
  return [
    check(
      'the API has one stage, which is traced',
      stages.map(({ stageName, tracingEnabled }) => [stageName, tracingEnabled]),
      [['api', true]],
    ),
    check(
      'the access log is JSON, without the credential',
      fields.map((text) => [(JSON.parse(String(text)) as Json).requestId, /authorization|header/i.test(String(text))]),
      [['$context.requestId', false]],
    ),
    check(
      'the authorizer is asked once in five minutes for a credential',
      authorizers.map((each) => [each.type, each.identitySource, each.authorizerResultTtlInSeconds]),
      [['REQUEST', 'method.request.header.Authorization', 300]],
    ),
    check(
      'API Gateway writes its logs by the role of the stack',
      /role\/Stockroom-dev-ApiRestApiCloudWatchRole/.test(String(account?.cloudwatchRoleArn)),
      true,
    ),
  ];
};

export const checkRest = async (aws: Aws, resources: readonly Json[]): Promise<Check[]> => {
  const keys = ofType(resources, 'AWS::KMS::Key');
  const rotations = await Promise.all(keys.map((key) => aws('kms', 'get-key-rotation-status', '--key-id', key)));
  const alarms = list(await aws('cloudwatch', 'describe-alarms'), 'MetricAlarms');
  const rules = list(await aws('events', 'list-rules'), 'Rules');
  const buses = list(await aws('events', 'list-event-buses'), 'EventBuses').map(({ Name }) => Name);
  return [
    check('the bus of the events is there', buses, ['default', ...ofType(resources, 'AWS::Events::EventBus')]),
    // A third one signs: AWS rotates no such key.
    check('both keys that encrypt rotate', rotations.filter((each) => each?.KeyRotationEnabled === true).length, 2),
    check('the alarms are there', alarms.length, ofType(resources, 'AWS::CloudWatch::Alarm').length),
    check(
      'the sweeper is scheduled',
      rules.map(({ ScheduleExpression }) => ScheduleExpression),
      ['rate(1 hour)'],
    ),
    check('the password of the first admin is a secret', ofType(resources, 'AWS::SecretsManager::Secret').length, 1),
  ];
};

/** Where each kind of thing is listed that a stack makes. */
const kinds = [
  ['table', 'dynamodb', 'list-tables', 'TableNames'],
  ['function', 'lambda', 'list-functions', 'Functions'],
  ['API', 'apigateway', 'get-rest-apis', 'items'],
  ['log group', 'logs', 'describe-log-groups', 'logGroups'],
  ['alarm', 'cloudwatch', 'describe-alarms', 'MetricAlarms'],
  ['rule', 'events', 'list-rules', 'Rules'],
  ['topic', 'sns', 'list-topics', 'Topics'],
  ['secret', 'secretsmanager', 'list-secrets', 'SecretList'],
] as const;

/** What is left after the stack went, beside what was bootstrapped. */
export const checkGone = async (aws: Aws, stack: string, keys: readonly string[]): Promise<Check[]> => {
  const gone = kinds.map(async ([kind, service, operation, name]) => {
    const answer = await aws(service, operation);
    return check(`no ${kind} is left`, answer && list(answer, name), []);
  });
  const roles = list(await aws('iam', 'list-roles'), 'Roles').map(({ RoleName }) => String(RoleName));
  const logRole = `${stack}-ApiRestApiCloudWatchRole`;
  const states = await Promise.all(keys.map((key) => aws('kms', 'describe-key', '--key-id', key)));
  return [
    ...(await Promise.all(gone)),
    check(
      'no role is left but the one with which all APIs of the account write logs',
      roles.filter((name) => name.startsWith(stack)).map((name) => name.slice(0, logRole.length)),
      [logRole],
    ),
    check(
      'the keys wait for their end',
      states.map((state) => (state?.KeyMetadata as Json | undefined)?.KeyState),
      keys.map(() => 'PendingDeletion'),
    ),
  ];
};

/** What `prod` leaves behind on purpose. */
export const checkKept = async (aws: Aws, resources: readonly Json[]): Promise<Check[]> => {
  const keys = keysOf(resources);
  const states = await Promise.all(keys.map((key) => aws('kms', 'describe-key', '--key-id', key)));
  return [
    check('the table is kept', list(await aws('dynamodb', 'list-tables'), 'TableNames'), [tableOf(resources)]),
    check(
      'the key of the table, that of upstreams and that which signs are kept',
      states.map((state) => (state?.KeyMetadata as Json | undefined)?.KeyState),
      ['Enabled', 'Enabled', 'Enabled'],
    ),
    check(
      'the logs are kept',
      list(await aws('logs', 'describe-log-groups'), 'logGroups').length,
      ofType(resources, 'AWS::Logs::LogGroup').length,
    ),
    check('the secrets are kept', list(await aws('secretsmanager', 'list-secrets'), 'SecretList').length, 2),
  ];
};
