import { endpoints } from '../../functions/endpoints.ts';
import { functionIdMetadata } from '../../infra/api/function-metadata.ts';
import { hostSettings, someEndpoints } from './hosts.ts';
import { settingsOf, synthesiseVariant, type TemplateResource } from './templates.ts';

jest.setTimeout(120_000);

const allowed = ['10.0.0.0/8', 'mirror.internal'];

/** Of what asks an upstream or an issuer, or judges the URL of one. */
const asking = endpoints.filter(({ id, decrypts, encrypts }) => decrypts || encrypts || id.startsWith('trusts/'));

/** With CloudFront and Fargate. */
const behindEdge = synthesiseVariant({
  stage: 'prod',
  endpoints: endpoints.filter((each) => asking.includes(each) || someEndpoints.includes(each)),
  change: { ...hostSettings('prod', 'fargate'), allowedPrivateUpstreams: allowed },
});

const withDomain = synthesiseVariant({
  stage: 'dev',
  endpoints: someEndpoints,
  change: { domain: hostSettings('dev', 'fargate').domain ?? null },
});

const stages = { 'prod behind CloudFront': behindEdge, 'dev with a domain': withDomain };
const outer = (stage: keyof typeof stages) => Object.entries(stages[stage].templates[0]?.[1].Resources ?? {});

const ofType = (stage: keyof typeof stages, type: string): [string, TemplateResource][] =>
  outer(stage).filter(([, { Type }]) => Type === type);

const dependenciesOf = ({ DependsOn = [] }: TemplateResource): readonly string[] => [DependsOn].flat();

/** The logical ID that a `Ref` or a `Fn::GetAtt` names; undefined for anything else. */
const namedBy = (value: unknown): string | undefined => {
  const { Ref: ref, 'Fn::GetAtt': attribute } = value as { Ref?: string; 'Fn::GetAtt'?: readonly [string, string] };
  return ref ?? attribute?.[0];
};

describe.each(['prod behind CloudFront', 'dev with a domain'] as const)('In the stack of %s', (stage) => {
  it('each permission on a live alias, which it names as text, waits for the alias or for its stack', () => {
    const aliases = new Map(
      ofType(stage, 'AWS::Lambda::Alias').map(([id, { Properties }]) => [namedBy(Properties?.FunctionName), id]),
    );
    const named = ofType(stage, 'AWS::Lambda::Permission').flatMap(([id, permission]) => {
      const { FunctionName = {} } = permission.Properties ?? {};
      const { 'Fn::Join': join } = FunctionName as { 'Fn::Join'?: [string, unknown[]] };
      const [lambda, alias] = join?.[1] ?? [];
      return alias === ':live' ? [{ id, lambda: namedBy(lambda) ?? '', waits: dependenciesOf(permission) }] : [];
    });
    expect(named.length).toBeGreaterThan(someEndpoints.length);
    const missing = named.filter(({ lambda, waits }) => !waits.includes(aliases.get(lambda) ?? lambda));
    expect(missing.map(({ id }) => id)).toEqual([]);
    expect(named.filter(({ lambda }) => aliases.has(lambda))).toHaveLength(1);
  });

  it('each stage of the API waits for its execution log, which API Gateway would make itself', () => {
    const logs = ofType(stage, 'AWS::Logs::LogGroup').filter(([, { Properties }]) =>
      JSON.stringify(Properties?.LogGroupName ?? '').includes('API-Gateway-Execution-Logs_'),
    );
    const gatewayStages = ofType(stage, 'AWS::ApiGateway::Stage');
    expect([logs.length, gatewayStages.length]).toEqual([1, 1]);
    for (const [, each] of gatewayStages) expect(dependenciesOf(each)).toContain(logs[0]?.[0]);
    expect(logs[0]?.[1].Properties).toEqual({
      LogGroupName: {
        'Fn::Join': [
          '',
          ['API-Gateway-Execution-Logs_', { Ref: ofType(stage, 'AWS::ApiGateway::RestApi')[0]?.[0] }, '/api'],
        ],
      },
      RetentionInDays: settingsOf(stage.startsWith('prod') ? 'prod' : 'dev').logRetentionDays,
    });
  });

  it('each alias of a host name has the zone of what it leads to, and the name both kinds of addresses', () => {
    const cloudFront = {
      'Fn::FindInMap': ['AWSCloudFrontPartitionHostedZoneIdMap', { Ref: 'AWS::Partition' }, 'zoneId'],
    };
    const zoneOf = (target: unknown): unknown => {
      const [id, attribute] = (target as { 'Fn::GetAtt': readonly [string, string] })['Fn::GetAtt'];
      const { Type = '' } = outer(stage).find(([each]) => each === id)?.[1] ?? {};
      const zones: Readonly<Record<string, unknown>> = {
        'AWS::CloudFront::Distribution DomainName': cloudFront,
        'AWS::ApiGateway::DomainName RegionalDomainName': { 'Fn::GetAtt': [id, 'RegionalHostedZoneId'] },
      };
      return zones[`${Type} ${attribute}`];
    };
    const records = ofType(stage, 'AWS::Route53::RecordSet').map(([, { Properties }]) => Properties ?? {});
    expect(records.map(({ Type }) => Type)).toEqual(['A', 'AAAA']);
    for (const { AliasTarget, HostedZoneId } of records) {
      const { DNSName, HostedZoneId: zone } = AliasTarget as {
        readonly DNSName: unknown;
        readonly HostedZoneId: unknown;
      };
      expect(zone).toBeDefined();
      expect(zone).toEqual(zoneOf(DNSName));
      expect(HostedZoneId).toBe('Z0123456789');
    }
  });

  it('each function that serves no endpoint has the seconds that its work takes', () => {
    const functions = ofType(stage, 'AWS::Lambda::Function').map(
      ([, { Metadata, Properties }]) => [String(Metadata?.[functionIdMetadata]), Properties?.Timeout] as const,
    );
    expect(Object.fromEntries(functions)).toEqual({
      authorizer: 14,
      fetcher: 900,
      'first-admin': 30,
      importer: 900,
      sweeper: 300,
      verifier: 900,
      ...(stage.startsWith('prod') && { 'release-check': 60 }),
    });
  });

  it('who waits for a function waits longer than it can run', () => {
    const timeouts = new Map(
      ofType(stage, 'AWS::Lambda::Function').map(([id, { Properties }]) => [id, Number(Properties?.Timeout)]),
    );
    const customs = outer(stage).filter(([, { Type }]) => Type.startsWith('Custom::'));
    expect(customs).not.toEqual([]);
    for (const [, { Properties = {} }] of customs)
      expect(Number(Properties.ServiceTimeout)).toBeGreaterThan(
        timeouts.get(namedBy(Properties.ServiceToken) ?? '') ?? Infinity,
      );
  });
});

describe('A stage whose door is on Fargate', () => {
  it('has more tasks within a minute, and fewer after five', () => {
    const { resources } = behindEdge;
    const propertiesOf = (type: string) =>
      resources.filter(({ Type }) => Type === type).map(({ Properties }) => Properties);
    expect(propertiesOf('AWS::ApplicationAutoScaling::ScalingPolicy')).toMatchObject([
      {
        PolicyType: 'TargetTrackingScaling',
        TargetTrackingScalingPolicyConfiguration: { ScaleInCooldown: 300, ScaleOutCooldown: 60, TargetValue: 60 },
      },
    ]);
    expect(propertiesOf('AWS::ApplicationAutoScaling::ScalableTarget')).toMatchObject([
      { MinCapacity: 1, MaxCapacity: settingsOf('prod').door.instancesMax },
    ]);
  });
});

describe('What the operator allows of private addresses', () => {
  const { resources } = behindEdge;
  type Variables = Readonly<Record<string, unknown>>;
  const variablesOf = ({ Properties }: TemplateResource): Variables =>
    (Properties?.Environment as { readonly Variables?: Variables } | undefined)?.Variables ?? {};
  const idOf = ({ Metadata }: TemplateResource): string => String(Metadata?.[functionIdMetadata]);
  const functions = resources.filter(({ Type }) => Type === 'AWS::Lambda::Function');

  /** The functions whose roles may decrypt the passwords of upstreams. */
  const decrypting = behindEdge.templates.flatMap(([, { Resources }]) =>
    Object.values(Resources).flatMap((each) => {
      const role = Resources[namedBy(each.Properties?.Role ?? {}) ?? ''];
      return JSON.stringify(role?.Properties ?? {}).includes('"kms:Decrypt"') ? [idOf(each)] : [];
    }),
  );

  it('reaches each function that asks an upstream or an issuer', () => {
    expect(asking.length).toBeGreaterThan(20);
    const reached = new Set(
      functions.filter((each) => variablesOf(each).ALLOWED_PRIVATE_UPSTREAMS === allowed.join(',')).map(idOf),
    );
    expect(asking.filter(({ id }) => !reached.has(id)).map(({ id }) => id)).toEqual([]);
    expect(decrypting).toContain('fetcher');
    expect(decrypting.filter((id) => !reached.has(id))).toEqual([]);
  });

  it('comes with the time that an upstream has, and with the key of its password', () => {
    for (const each of functions.filter((one) => decrypting.includes(idOf(one)))) {
      expect([idOf(each), variablesOf(each).UPSTREAM_ANSWER_MILLISECONDS]).toEqual([idOf(each), '20000']);
      expect([idOf(each), variablesOf(each).UPSTREAM_KEY_ID]).toEqual([idOf(each), expect.anything()]);
    }
  });
});

/** The graphs of the dashboard by title, each with its metrics: namespace, name, dimensions and statistic. */
const graphs: Readonly<Record<string, readonly string[]>> = {
  Requests: ['Stockroom-prod requests service=stockroom Sum', 'AWS/ApiGateway Count ApiName=Stockroom-prod Sum'],
  'Failed requests': [
    'FILL(functions, 0) + FILL(gateway, 0)',
    'functions: Stockroom-prod faults service=stockroom Sum',
    'gateway: Stockroom-prod gatewayFaults Sum',
    'AWS/ApiGateway 5XXError ApiName=Stockroom-prod Sum',
  ],
  'Latency, ms': [
    'AWS/ApiGateway Latency ApiName=Stockroom-prod p50',
    'AWS/ApiGateway Latency ApiName=Stockroom-prod p99',
  ],
  'Refusals by reason': [`SEARCH('{"Stockroom-prod",service,reason} MetricName="refusals"', 'Sum')`],
  'Refused by the gateway and the functions': [
    'AWS/ApiGateway 4XXError ApiName=Stockroom-prod Sum',
    'Stockroom-prod unauthenticated Sum',
  ],
  'Wrong passwords': ['Stockroom-prod passwordFailures service=stockroom Sum'],
  Authorizer: [
    'AWS/Lambda Invocations FunctionName=FunctionsAuthorizerFunction Sum',
    'AWS/Lambda Throttles FunctionName=FunctionsAuthorizerFunction Sum',
    'Stockroom-prod authorizerFailures Sum',
  ],
  'Authorizer, ms': [
    'AWS/Lambda Duration FunctionName=FunctionsAuthorizerFunction p50',
    'AWS/Lambda Duration FunctionName=FunctionsAuthorizerFunction p99',
  ],
  'Functions at work': ['AWS/Lambda ConcurrentExecutions Maximum', 'AWS/Lambda Throttles Sum'],
  'Denied by AWS': ['Stockroom-prod accessDenials service=stockroom Sum'],
  'Capacity units of the table': [
    'AWS/DynamoDB ConsumedReadCapacityUnits TableName=Table Sum',
    'AWS/DynamoDB ConsumedWriteCapacityUnits TableName=Table Sum',
  ],
  'Retried calls of the table': [
    'Stockroom-prod conflictsRetried service=stockroom Sum',
    'Stockroom-prod tableThrottles service=stockroom Sum',
  ],
  'Failed sweeps': [
    'AWS/SQS ApproximateNumberOfMessagesVisible QueueName=SweepingFailures Maximum',
    'Stockroom-prod unfinishedSweeps service=stockroom Sum',
  ],
  'Undelivered events': ['AWS/SQS ApproximateNumberOfMessagesVisible QueueName=EventsFailures Maximum'],
  'Failures of the pipe': ['AWS/EventBridge/Pipes ExecutionFailed PipeName=EventsPipe Sum'],
  'Failed upstreams': ['Stockroom-prod upstreamFailures service=stockroom Sum'],
  'Files that are not what was promised': ['Stockroom-prod integrityRejections service=stockroom Sum'],
  'Lost objects': ['Stockroom-prod lostObjects service=stockroom Sum'],
  'Long fetches': [
    'AWS/Lambda Invocations FunctionName=FetchingFetcherFunction Sum',
    'AWS/Lambda Throttles FunctionName=FetchingFetcherFunction Sum',
    'AWS/Lambda AsyncEventsDropped FunctionName=FetchingFetcherFunction Sum',
  ],
  'Verified uploads': [
    'AWS/Lambda Invocations FunctionName=VerifyingVerifierFunction Sum',
    'AWS/Lambda AsyncEventsDropped FunctionName=VerifyingVerifierFunction Sum',
  ],
  'Files that are held back or blocked': [
    'Stockroom-prod refusals reason=VERSION_HELD service=stockroom Sum',
    'Stockroom-prod refusals reason=VERSION_BLOCKED service=stockroom Sum',
  ],
  'Lists without versions that do not pass': ['Stockroom-prod answersWithout service=stockroom Sum'],
  'What gates that only observe would hold back': ['Stockroom-prod wouldHold service=stockroom Sum'],
  'Imports of advisories': [
    'AWS/Lambda Invocations FunctionName=ImportingImporterFunction Sum',
    'AWS/Lambda AsyncEventsDropped FunctionName=ImportingImporterFunction Sum',
    'Stockroom-prod refusedImports service=stockroom Sum',
  ],
  'Large bodies': ['Stockroom-prod doorUploads Sum', 'Stockroom-prod doorCuts Sum'],
  'Failures of the door': [
    'Stockroom-prod doorFailures Sum',
    'AWS/ApplicationELB HealthyHostCount LoadBalancer=DoorFargateNetworkBalancer TargetGroup=DoorFargateNetworkBalancerListenerDoorGroup Maximum',
    'AWS/ApplicationELB UnHealthyHostCount LoadBalancer=DoorFargateNetworkBalancer TargetGroup=DoorFargateNetworkBalancerListenerDoorGroup Maximum',
    'AWS/ApplicationELB HTTPCode_ELB_5XX_Count LoadBalancer=DoorFargateNetworkBalancer Sum',
  ],
};

describe('The dashboard', () => {
  interface Options {
    readonly stat?: string;
    readonly id?: string;
    readonly label?: string;
    readonly expression?: string;
  }
  interface Widget {
    readonly width: number;
    readonly x: number;
    readonly y: number;
    readonly properties: { readonly title: string; readonly metrics: readonly (readonly [...string[], Options])[] };
  }
  const [, board] = ofType('prod behind CloudFront', 'AWS::CloudWatch::Dashboard')[0] ?? [];
  const { DashboardBody = {} } = board?.Properties ?? {};
  const { 'Fn::Join': join = ['', []] } = DashboardBody as { 'Fn::Join'?: [string, unknown[]] };
  const text = join[1].map((part) =>
    typeof part === 'string' ? part : (namedBy(part) ?? '').replace(/[0-9A-F]{8}$/, ''),
  );
  const { widgets } = JSON.parse(text.join('')) as { readonly widgets: readonly Widget[] };

  const told = (metric: Widget['properties']['metrics'][number]): string => {
    const { stat, id, expression } = metric.at(-1) as Options;
    if (expression !== undefined) return expression;
    const [namespace, name, ...dimensions] = metric.slice(0, -1) as string[];
    const pairs = dimensions.flatMap((dimension, at) => (at % 2 === 0 ? [`${dimension}=${dimensions[at + 1]}`] : []));
    return `${id === undefined ? '' : `${id}: `}${[namespace, name, ...pairs, stat].join(' ')}`;
  };

  it('shows under each title what the title says', () => {
    const shown = widgets.map(({ properties: { title, metrics } }) => [title, metrics.map(told)] as const);
    expect(Object.fromEntries(shown)).toEqual(graphs);
    expect(shown).toHaveLength(Object.keys(graphs).length);
  });

  it('tells the lines of a graph apart', () => {
    for (const { properties } of widgets) {
      const labels = properties.metrics.map((metric) => metric.at(-1) as Options).flatMap(({ label }) => label ?? []);
      expect(new Set(labels).size).toBe(labels.length);
    }
  });

  // docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/CloudWatch-Dashboard-Body-Structure.html
  it('has graphs whose places are whole numbers in 24 columns, as CloudWatch requires', () => {
    for (const { width, x, y } of widgets) {
      expect([width, x, y].every(Number.isInteger)).toBe(true);
      expect(x + width).toBeLessThanOrEqual(24);
    }
  });
});
