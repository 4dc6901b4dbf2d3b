import { Match } from 'aws-cdk-lib/assertions';
import { endpoints } from '../../functions/endpoints.ts';
import { settingsOfAccess } from '../../infra/access-memory.ts';
import { functionIdMetadata } from '../../infra/api/function-metadata.ts';
import { readSettings, settingsOfRelease } from '../../infra/settings.ts';
import { settingsOf, synthesiseVariant, synthesisOfDev } from './templates.ts';

const dev = settingsOf('dev');
type Variables = { readonly Variables?: Readonly<Record<string, unknown>> } | undefined;

const domain = {
  name: 'stockroom.example.com',
  certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/abc',
  hostedZone: { id: 'Z0123456789', name: 'example.com' },
};

/** Enough where nothing is said about every endpoint: each one makes a synthesis longer. */
const some = endpoints.filter(({ id }) => /^(?:members|system|universal)\//.test(id));

const withDomain = synthesiseVariant({
  stage: 'prod',
  endpoints: some,
  change: {
    domain,
    allowedPrivateUpstreams: ['10.0.0.0/8', 'mirror.internal'],
    advisories: { hourly: ['npm', 'pypi'], url: 'https://mirror.example/osv' },
    batchRepositoriesMax: 50,
    signingKeys: [
      { key: 'second', createdAt: 1_767_225_600 },
      { key: 'arn:aws:kms:eu-west-1:123456789012:key/brought', createdAt: 1_500_000_000 },
    ],
    throttle: { requestsPerSecond: 7, burst: 9 },
  },
});

/** With all endpoints. */
const atOnce = synthesiseVariant({ stage: 'prod', change: settingsOfRelease(settingsOf('prod'), 'at-once') });

const read = (change: object) => () => readSettings({ dev: { ...dev, ...change } }, 'dev');

describe('the settings of a stage', () => {
  it('are told apart from stages that there are not', () => {
    expect(() => readSettings({ dev, prod: dev }, 'live')).toThrow(
      "There is no stage 'live' in cdk.json: choose one of dev, prod with -c stage=….",
    );
    expect(() => readSettings({ dev }, 'constructor')).toThrow("There is no stage 'constructor'");
    expect(() => readSettings(undefined, 'dev')).toThrow("There is no stage 'dev'");
  });

  it.each([
    ['a setting that there is not', { colour: 'red' }, "cdk.json, stage 'dev': colour is not a setting."],
    ['a nested one', { throttle: { ...dev.throttle, x: 1 } }, 'throttle.x is not a setting.'],
    ['a missing one', { canary: undefined }, 'canary'],
    ['days that CloudWatch does not offer', { logRetentionDays: 8 }, 'logRetentionDays must be one of 1, 3, 5, 7'],
    ['an address without @', { alarmEmail: 'alarms' }, 'alarmEmail must be an e-mail address, or null.'],
    ['a batch of 101', { batchRepositoriesMax: 101 }, 'batchRepositoriesMax must be a whole number from 1 to 100.'],
    ['a batch of none', { batchRepositoriesMax: 0 }, 'batchRepositoriesMax must be a whole number from 1 to 100.'],
    [
      'advisories on a type that has none',
      { advisories: { ...dev.advisories, hourly: ['docker'] } },
      'advisories.hourly[0] must be one of cargo, composer, ',
    ],
    [
      'advisories over HTTP',
      { advisories: { hourly: [], url: 'http://osv.example' } },
      'advisories.url must be an address that begins with https://',
    ],
    ['a number as text', { batchRepositoriesMax: '7' }, 'batchRepositoriesMax must be a whole number from 1 to 100.'],
    ['an echo in words', { echoUpstreamPassword: 'no' }, 'echoUpstreamPassword must be true or false.'],
    ['no ceiling', { table: { readUnitsPerSecondMax: 1 } }, 'table.writeUnitsPerSecondMax is required'],
    [
      'upstreams in one text',
      { allowedPrivateUpstreams: ['a.example,b.example'] },
      'allowedPrivateUpstreams[0] must be',
    ],
    [
      'a domain without certificate',
      { domain: { name: 'a.example', hostedZone: null } },
      'domain.certificateArn is required',
    ],
    [
      'uploads without a host name',
      { uploads: 'fargate' },
      "cdk.json, stage 'dev': uploads is fargate, which needs domain: set it, or set uploads to gateway.",
    ],
    [
      'uploads without a certificate for it at CloudFront',
      { uploads: 'web-function', domain: { ...domain, hostedZone: null } },
      'uploads is web-function, which needs door.certificateArn: set it, or set uploads to gateway.',
    ],
    [
      'a certificate of a Region that CloudFront does not take',
      { door: { ...dev.door, certificateArn: domain.certificateArn } },
      'door.certificateArn must be the ARN of an ACM certificate of us-east-1, or null.',
    ],
    ['a host that only the local runner has', { uploads: 'local' }, 'uploads must be one of gateway, web-function or'],
    ['a firewall of one word', { firewall: true }, 'firewall must be an object.'],
  ])('refuse %s with a sentence', (_, change, sentence) => {
    expect(read(change)).toThrow(sentence);
  });

  it.each(['dev', 'prod'] as const)('leave the echo of upstream passwords off in %s', (stage) => {
    expect(settingsOf(stage).echoUpstreamPassword).toBe(false);
    const { resources } = stage === 'dev' ? synthesisOfDev() : atOnce;
    const variables = resources.map(({ Properties }) => (Properties?.Environment as Variables)?.Variables);
    const values = variables.flatMap((each) => each?.ECHO_UPSTREAM_PASSWORD ?? []);
    expect(values).toEqual(endpoints.map(() => 'false'));
  });

  it('let processes remember access after a release that counts its versions, and not before', () => {
    const remembering = { ...dev, remembersAccess: true };
    expect(settingsOfAccess(remembering, [{ countsAccess: true }, { countsAccess: true }])).toBe(remembering);
    expect(settingsOfAccess(dev, [{}])).toBe(dev);
    // The tag of a release has its own record, and is deployed beside the release before it.
    for (const before of [[{}], [{}, { countsAccess: true as const }]])
      expect(() => settingsOfAccess(remembering, before)).toThrow(
        'remembersAccess is true, and the release before this one does not count access versions.',
      );
    const variablesOf = ({ resources }: ReturnType<typeof synthesisOfDev>) =>
      resources.flatMap(({ Properties }) => (Properties?.Environment as Variables)?.Variables?.REMEMBERS_ACCESS ?? []);
    expect(variablesOf(synthesisOfDev())).toEqual([]);
    const values = variablesOf(synthesiseVariant({ stage: 'dev', change: { remembersAccess: true } }));
    expect(values.length).toBeGreaterThan(endpoints.length);
    expect(new Set(values)).toEqual(new Set(['true']));
  });

  it('report all that is wrong at once', () => {
    expect(read({ canary: 'yes', alarmEmail: 7 })).toThrow(
      /canary must be.*alarmEmail must be|alarmEmail must be.*canary must be/,
    );
  });

  it('warn at the synthesis of prod where its alarms reach nobody, and ask for no quota where they reserve nothing', () => {
    const reserving = { authorizerConcurrency: null, fetcherConcurrency: null };
    const change = { alarmEmail: null, createsAccountLogRole: false, ...reserving };
    const { notes } = synthesiseVariant({ stage: 'prod', endpoints: some, change });
    const warning = expect.stringMatching(/^warning: No alarm reaches anybody: set alarmEmail in cdk\.json/) as string;
    expect(notes).toEqual({ 'stockroom:alarm-email': warning });
  });

  it('reserve concurrency for each function that asks upstreams, and for no other, where the account has a quota for it', () => {
    const change = { authorizerConcurrency: null, fetcherConcurrency: null, upstreamConcurrency: 7 };
    const { resources, notes } = synthesiseVariant({ stage: 'prod', endpoints: some, change });
    const reserving = resources.flatMap(({ Properties, Metadata }) =>
      Properties?.ReservedConcurrentExecutions === 7 ? [Metadata?.[functionIdMetadata]] : [],
    );
    const asking = some.filter(({ decrypts }) => decrypts).map(({ id }) => id);
    expect(asking).not.toEqual([]);
    expect(reserving).toHaveLength(asking.length);
    expect(new Set(reserving)).toEqual(new Set(asking));
    expect(notes['stockroom:concurrency']).toContain(`a quota of ${100 + 7 * asking.length} concurrent executions`);
  });

  it('are the same for all accounts: a small one need reserve nothing to ask upstreams', () => {
    for (const stage of ['dev', 'prod'] as const) expect(settingsOf(stage).upstreamConcurrency).toBeNull();
  });

  it('leave out what could refuse a release, and no other alarm, where it is live at once', () => {
    const { template } = atOnce;
    template.resourceCountIs('AWS::CodeDeploy::DeploymentGroup', 0);
    template.allResources('AWS::Lambda::Alias', { UpdatePolicy: Match.absent() });
    template.allResourcesProperties('AWS::CloudWatch::Alarm', { AlarmName: Match.anyValue() });
    template.resourceCountIs('AWS::CloudWatch::Alarm', 21);
    expect(settingsOfRelease(settingsOf('prod'), undefined)).toEqual(settingsOf('prod'));
  });

  it('leave the log role of the account alone where the account has its own', () => {
    const change = { createsAccountLogRole: false };
    const { template, notes } = synthesiseVariant({ stage: 'dev', endpoints: some, change });
    expect(notes).toEqual({});
    template.resourceCountIs('AWS::ApiGateway::Account', 0);
    expect(JSON.stringify(template.toJSON())).not.toContain('AmazonAPIGatewayPushToCloudWatchLogs');
  });

  it('give each key of signatures a place of its own in the stack, where no move of the code may replace it', () => {
    const keysOf = ({ template }: Pick<typeof withDomain, 'template'>): string[] =>
      Object.keys(template.findResources('AWS::KMS::Key', { Properties: { KeyUsage: 'SIGN_VERIFY' } })).map(
        (place) => place.split(' ')[1] ?? '',
      );
    expect([keysOf(synthesisOfDev()), keysOf(withDomain)]).toEqual([['SigningKeyFirst'], ['SigningKeySecond']]);
  });

  it('reach the template: domain, upstreams, batch, throttles', () => {
    const { templates, template } = withDomain;
    for (const packageType of ['npm', 'pypi'])
      template.hasResourceProperties('AWS::Events::Rule', {
        ScheduleExpression: 'rate(1 hour)',
        State: 'ENABLED',
        Targets: [Match.objectLike({ Input: JSON.stringify({ packageType }) })],
      });
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ ADVISORIES_URL: 'https://mirror.example/osv' }) },
    });
    template.hasResourceProperties('AWS::ApiGateway::DomainName', {
      DomainName: 'stockroom.example.com',
      SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
      EndpointAccessMode: 'STRICT',
      EndpointConfiguration: { Types: ['REGIONAL'] },
    });
    template.hasResourceProperties('AWS::ApiGateway::RestApi', { DisableExecuteApiEndpoint: true });
    template.resourcePropertiesCountIs('AWS::Route53::RecordSet', { Type: 'A' }, 1);
    template.resourcePropertiesCountIs('AWS::Route53::RecordSet', { Type: 'AAAA' }, 1);
    expect(templates[0]?.[1].Outputs?.BaseUrl?.Value).toBe('https://stockroom.example.com');
    template.hasResourceProperties('AWS::ApiGateway::Stage', {
      MethodSettings: Match.arrayWith([
        Match.objectLike({ ResourcePath: '/*', ThrottlingRateLimit: 7, ThrottlingBurstLimit: 9 }),
      ]),
    });
    template.hasResource('AWS::Lambda::Function', {
      Metadata: { [functionIdMetadata]: 'members/add-member-to-repositories' },
      Properties: {
        Environment: {
          Variables: { ALLOWED_PRIVATE_UPSTREAMS: '10.0.0.0/8,mirror.internal', MAX_BATCH_REPOSITORIES: '50' },
        },
      },
    });
  });
});
