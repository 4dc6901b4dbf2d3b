import { endpoints } from '../../functions/endpoints.ts';
import { type Pin, valueAt } from './pin.ts';
import type { TemplateResource } from './templates.ts';

const lambda = 'AWS::Lambda::Function';
const role = 'AWS::IAM::Role';

const idOf = ({ Metadata }: TemplateResource) => String(Metadata?.['stockroom:functionId']);
const isNamed =
  (...ids: readonly string[]) =>
  (resource: TemplateResource) =>
    ids.includes(idOf(resource));
const isEndpoint = (resource: TemplateResource) => endpoints.some(({ id }) => id === idOf(resource));

/** What every function of every stage has. */
export const functionPins: readonly Pin[] = [
  { promise: 'one function per endpoint, and three more', type: lambda, count: endpoints.length + 3 },
  { promise: 'one function per endpoint', type: lambda, of: isEndpoint, count: endpoints.length },
  { promise: 'functions run on Node 24', type: lambda, path: 'Properties.Runtime', expected: 'nodejs24.x' },
  { promise: 'functions run on arm64', type: lambda, path: 'Properties.Architectures', expected: ['arm64'] },
  { promise: 'functions have 1,024 MB', type: lambda, path: 'Properties.MemorySize', expected: 1024 },
  { promise: 'functions are traced by X-Ray', type: lambda, path: 'Properties.TracingConfig.Mode', expected: 'Active' },
  {
    promise: 'the metrics of stages stay apart',
    type: lambda,
    path: 'Properties.Environment.Variables.METRICS_NAMESPACE',
    rule: (name) => name === 'Stockroom-dev' || name === 'Stockroom-prod',
  },
  {
    promise: 'functions write to a log group of their own',
    type: lambda,
    path: 'Properties.LoggingConfig.LogGroup.Ref',
    rule: (id) => /Log[0-9A-F]{8}$/.test(String(id)),
  },
  {
    promise: 'a request ends after 14 seconds, long after its budget of eight and before the 29 of API Gateway',
    type: lambda,
    of: isEndpoint,
    path: 'Properties.Timeout',
    expected: 14,
  },
  {
    promise: 'the authorizer ends after 14 seconds',
    type: lambda,
    of: isNamed('authorizer'),
    path: 'Properties.Timeout',
    expected: 14,
  },
  {
    promise: 'a sweep ends after five minutes',
    type: lambda,
    of: isNamed('sweeper'),
    path: 'Properties.Timeout',
    expected: 300,
  },
  {
    promise: 'the operator sets the size of a batch',
    type: lambda,
    of: isEndpoint,
    path: 'Properties.Environment.Variables.MAX_BATCH_REPOSITORIES',
    expected: '100',
  },
  {
    promise: 'the operator allows private upstreams',
    type: lambda,
    of: isEndpoint,
    path: 'Properties.Environment.Variables.ALLOWED_PRIVATE_UPSTREAMS',
    expected: '',
  },
  {
    promise: 'the first admin is made with the secret',
    type: lambda,
    of: isNamed('first-admin'),
    path: 'Properties.Environment.Variables.FIRST_ADMIN_SECRET_ARN.Ref',
    rule: (id) => /^FirstAdminPassword[0-9A-F]{8}$/.test(String(id)),
  },
  {
    promise: 'API Gateway calls what is live',
    type: 'AWS::Lambda::Alias',
    count: endpoints.length + 1,
    path: 'Properties.Name',
    expected: 'live',
  },
];

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Effect: string;
  readonly Condition?: unknown;
}

const statementsOf = (policies: unknown): Statement[] =>
  ((policies ?? []) as { PolicyDocument: { Statement: Statement[] } }[]).flatMap(
    ({ PolicyDocument }) => PolicyDocument.Statement,
  );

const actionsOf = ({ Action }: Statement): string[] => (typeof Action === 'string' ? [Action] : [...(Action ?? [])]);
const ofService = (service: string) => (resource: TemplateResource) =>
  JSON.stringify(valueAt(resource, 'Properties.AssumeRolePolicyDocument')).includes(service);
const mayUse = (service: string) => (resource: TemplateResource) =>
  statementsOf(valueAt(resource, 'Properties.Policies')).some((statement) =>
    actionsOf(statement).some((action) => action.startsWith(`${service}:`)),
  );
const isFunctionRole = ofService('lambda.amazonaws.com');

/** What no function may have more of. */
export const rightsPins: readonly Pin[] = [
  { promise: 'each function has a role of its own', type: role, of: isFunctionRole, count: endpoints.length + 3 },
  {
    promise: 'no function has a policy of AWS',
    type: role,
    of: isFunctionRole,
    path: 'Properties.ManagedPolicyArns',
    expected: undefined,
  },
  { promise: 'no policy stands beside the roles', type: 'AWS::IAM::Policy', count: 0 },
  { promise: 'no managed policy is made', type: 'AWS::IAM::ManagedPolicy', count: 0 },
  {
    promise: 'functions write to the log by two actions',
    type: role,
    of: isFunctionRole,
    path: 'Properties.Policies.0.PolicyDocument.Statement.0.Action',
    expected: ['logs:CreateLogStream', 'logs:PutLogEvents'],
  },
  {
    promise: 'functions write to their own log alone',
    type: role,
    of: isFunctionRole,
    path: 'Properties.Policies.0.PolicyDocument.Statement.0.Resource.Fn::GetAtt.0',
    rule: (id) => /Log[0-9A-F]{8}$/.test(String(id)),
  },
  {
    promise: 'only X-Ray has the wildcard',
    type: role,
    of: isFunctionRole,
    path: 'Properties.Policies.0.PolicyDocument.Statement.1',
    expected: { Action: ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'], Effect: 'Allow', Resource: '*' },
  },
  { promise: 'two functions may use a key', type: role, of: mayUse('kms'), count: 2 },
  {
    promise: 'they may encrypt, and nothing else',
    type: role,
    of: mayUse('kms'),
    count: 2,
    path: 'Properties.Policies.0.PolicyDocument.Statement.3.Action',
    expected: 'kms:Encrypt',
  },
  {
    promise: 'for a named repository of a named workspace',
    type: role,
    of: mayUse('kms'),
    path: 'Properties.Policies.0.PolicyDocument.Statement.3.Condition',
    expected: {
      'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': ['workspaceId', 'repositoryId'] },
      Null: { 'kms:EncryptionContext:workspaceId': 'false', 'kms:EncryptionContext:repositoryId': 'false' },
    },
  },
  { promise: 'one function may read a secret', type: role, of: mayUse('secretsmanager'), count: 1 },
  { promise: 'one function may send to a queue', type: role, of: mayUse('sqs'), count: 1 },
];

const isOfRelease = ({ Properties }: TemplateResource) => Properties?.AlarmName === undefined;

/** How new versions go live; undefined where they do at once. */
export const releasePins = (groups: number | undefined): readonly Pin[] => {
  const group = 'AWS::CodeDeploy::DeploymentGroup';
  if (groups === undefined) return [{ promise: 'new versions go live at once', type: group, count: 0 }];
  return [
    { promise: 'each function that is called has its canary', type: group, count: groups },
    {
      promise: 'a new version first gets a tenth of the calls',
      type: group,
      path: 'Properties.DeploymentConfigName',
      expected: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
    },
    {
      promise: 'a canary goes back when it fails or an alarm says so',
      type: group,
      path: 'Properties.AutoRollbackConfiguration',
      expected: {
        Enabled: true,
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
      },
    },
    {
      promise: 'canaries listen to the alarm',
      type: group,
      path: 'Properties.AlarmConfiguration.Enabled',
      expected: true,
    },
    {
      promise: 'and to that of a release',
      type: group,
      path: 'Properties.AlarmConfiguration.Alarms.0.Name.Ref',
      rule: (id) => /ReleasesRollbackAlarm[0-9A-F]{8}(?:Ref)?$/.test(String(id)),
    },
    {
      promise: 'the alarm of a release counts failed requests',
      type: 'AWS::CloudWatch::Alarm',
      of: isOfRelease,
      count: 1,
      path: 'Properties.MetricName',
      expected: '5XXError',
    },
    {
      promise: 'five of them in a minute are too many',
      type: 'AWS::CloudWatch::Alarm',
      of: isOfRelease,
      path: 'Properties.Threshold',
      expected: 5,
    },
    {
      promise: 'the alias moves by CodeDeploy',
      type: 'AWS::Lambda::Alias',
      path: 'UpdatePolicy.CodeDeployLambdaAliasUpdate',
      rule: (update) => typeof update === 'object' && Object.keys(update ?? {}).length === 2,
    },
    {
      promise: 'CodeDeploy may move aliases of this stack and look at alarms',
      type: role,
      of: ofService('codedeploy'),
      count: 1,
      path: 'Properties.Policies.0.PolicyDocument.Statement',
      rule: (statements) =>
        JSON.stringify((statements as Statement[] | undefined)?.map?.(({ Action }) => Action)) ===
        JSON.stringify([
          ['lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig', 'lambda:UpdateAlias'],
          'cloudwatch:DescribeAlarms',
        ]),
    },
  ];
};
