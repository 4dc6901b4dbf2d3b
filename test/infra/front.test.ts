import { Match } from 'aws-cdk-lib/assertions';
import { endpoints } from '../../functions/endpoints.ts';
import { frontId, functionIdMetadata } from '../../infra/api/function-metadata.ts';
import { readSettings, SettingsError, settingsOfReads, settingsOfUploads } from '../../infra/settings.ts';
import { shareOf } from '../harness/sampling.ts';
import { requireNoCircle } from './circles.ts';
import { downloadKeys, hostSettings } from './hosts.ts';
import { settingsOf, synthesiseVariant, synthesisOfDev, type TemplateFile } from './templates.ts';

/** Enough: nothing is said about each endpoint. */
const some = endpoints.filter(({ id }) => /^(?:system|universal)\//.test(id));
/** Of one stage each day, with ALL_CASES of both, it is asked what cdk-nag finds. */
const validated: readonly ('dev' | 'prod')[] = shareOf(['dev', 'prod'], 2);
const withFront = (stage: 'dev' | 'prod') =>
  synthesiseVariant({ stage, change: { reads: 'url' }, endpoints: some, isValidated: validated.includes(stage) });
const dev = withFront('dev');
const prod = withFront('prod');

const outerOf = ({ templates }: typeof dev): TemplateFile => templates[0]?.[1] as TemplateFile;

const frontOf = (synthesis: typeof dev) => {
  const found = Object.values(outerOf(synthesis).Resources).find(
    ({ Type, Metadata }) => Type === 'AWS::Lambda::Function' && Metadata?.[functionIdMetadata] === frontId,
  );
  if (!found) throw new Error('The stack has no front.');
  return found;
};

describe('A stage with a second front for reads', () => {
  it('has one function URL, of the live alias, that checks no credential itself', () => {
    for (const { template } of [dev, prod])
      template.hasResourceProperties('AWS::Lambda::Url', {
        AuthType: 'NONE',
        Qualifier: 'live',
        TargetFunctionArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^PackagesReadsFunction'), 'Arn'] },
        Cors: Match.absent(),
      });
    dev.template.resourceCountIs('AWS::Lambda::Url', 1);
  });

  it('lets everybody call the alias, by its URL alone', () => {
    const open = Object.values(
      dev.template.findResources('AWS::Lambda::Permission', { Properties: { Principal: '*' } }),
    );
    const calls = open.map(({ Properties: { Action, FunctionUrlAuthType, InvokedViaFunctionUrl } }) => [
      Action,
      FunctionUrlAuthType ?? InvokedViaFunctionUrl,
    ]);
    expect(calls.toSorted(([one], [other]) => (one < other ? -1 : 1))).toEqual([
      ['lambda:InvokeFunction', true],
      ['lambda:InvokeFunctionUrl', 'NONE'],
    ]);
  });

  it('gives it the rights to read the table, blobs and rendered documents, and no other right to data', () => {
    for (const synthesis of [dev, prod]) {
      const { Role } = (frontOf(synthesis).Properties ?? {}) as { Role?: { 'Fn::GetAtt': [string] } };
      const { Policies = [] } = (outerOf(synthesis).Resources[Role?.['Fn::GetAtt'][0] ?? '']?.Properties ?? {}) as {
        Policies?: { PolicyDocument: { Statement: { Action: string | string[]; Resource: unknown }[] } }[];
      };
      const statements = Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
      expect(statements.flatMap(({ Action }) => Action).toSorted()).toEqual([
        'dynamodb:BatchGetItem',
        'dynamodb:Query',
        'logs:CreateLogStream',
        'logs:PutLogEvents',
        's3:GetObject',
        'xray:PutTelemetryRecords',
        'xray:PutTraceSegments',
      ]);
      const ofStore = statements.filter(({ Action }) => Action === 's3:GetObject');
      const objects = ofStore
        .flatMap(({ Resource }) => Resource)
        .map((each) => /"(\/[^"]+)"\]\]\}$/.exec(JSON.stringify(each))?.[1]);
      expect(objects).toEqual(['/blobs/*', '/staging/rendered/*']);
    }
  });

  it('passes on to the API of the stack, whose stage knows the URL, and tells it as an output', () => {
    const { Outputs, Resources } = outerOf(dev);
    expect(frontOf(dev).Properties?.Environment).toMatchObject({ Variables: { API_URL: Outputs?.BaseUrl?.Value } });
    const stages = Object.values(Resources).filter(({ Type }) => Type === 'AWS::ApiGateway::Stage');
    expect(stages.map(({ Properties }) => Properties?.Variables)).toEqual([
      { packagesUrl: Outputs?.PackagesUrl?.Value },
    ]);
    expect(JSON.stringify(Outputs?.PackagesUrl?.Value)).toContain('"FunctionUrl"');
  });

  it('passes on to its host name, where it has one', () => {
    const domain = {
      name: 'stockroom.example.com',
      certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/abc',
      hostedZone: null,
    };
    const named = synthesiseVariant({ stage: 'dev', change: { reads: 'url', domain }, endpoints: some });
    expect(frontOf(named).Properties?.Environment).toMatchObject({
      Variables: { API_URL: 'https://stockroom.example.com' },
    });
    expect(JSON.stringify(frontOf(named).Properties?.Environment)).not.toContain('PUBLIC_URL');
  });

  it('reserves the concurrency of the setting, and traces nothing by itself', () => {
    expect([dev, prod].map((each) => frontOf(each).Properties?.ReservedConcurrentExecutions)).toEqual([undefined, 100]);
    expect(frontOf(prod).Properties?.TracingConfig).toEqual({ Mode: 'PassThrough' });
    expect(frontOf(prod).Properties?.Timeout).toBe(60);
  });

  it('watches its failures and its throttles', () => {
    for (const [alarm, MetricName] of [
      ['front-failures', 'Errors'],
      ['front-throttles', 'Throttles'],
    ] as const)
      dev.template.hasResourceProperties('AWS::CloudWatch::Alarm', {
        AlarmName: `Stockroom-dev-${alarm}`,
        Metrics: [
          Match.objectLike({
            MetricStat: Match.objectLike({
              Metric: {
                Namespace: 'AWS/Lambda',
                MetricName,
                Dimensions: [
                  { Name: 'FunctionName', Value: { Ref: Match.stringLikeRegexp('^PackagesReadsFunction') } },
                ],
              },
            }),
          }),
        ],
        AlarmActions: [Match.anyValue()],
      });
  });

  it('counts the requests of both fronts where it says how many of them fail', () => {
    const metricOf = (Namespace: string, MetricName: string) =>
      Match.objectLike({ MetricStat: Match.objectLike({ Metric: Match.objectLike({ Namespace, MetricName }) }) });
    dev.template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      AlarmName: 'Stockroom-dev-server-errors',
      Metrics: Match.arrayWith([
        Match.objectLike({ Expression: 'IF(requests > 100, 100 * faults / requests, faults)' }),
        Match.objectLike({ Id: 'requests', Expression: 'FILL(ofApi, 0) + FILL(ofFront, 0)' }),
        metricOf('AWS/ApiGateway', 'Count'),
        metricOf('AWS/Lambda', 'Invocations'),
      ]),
    });
  });

  it('rolls a release back for the share of the requests at both fronts that fail, and where the new front crashes', () => {
    const alarm = (name: string) => ({ Name: { Ref: Match.stringLikeRegexp(`^Releases${name}[0-9A-F]{8}$`) } });
    prod.template.resourcePropertiesCountIs(
      'AWS::CodeDeploy::DeploymentGroup',
      { AlarmConfiguration: { Alarms: [alarm('RollbackAlarm'), alarm('FrontAlarm')] } },
      1,
    );
    const expressionsOf = (description: string): string[] =>
      Object.values(
        prod.template.findResources('AWS::CloudWatch::Alarm', {
          Properties: { AlarmDescription: Match.stringLikeRegexp(description) },
        }),
      ).flatMap(({ Properties: { Metrics } }) =>
        (Metrics as { Id: string; Expression?: string; MetricStat?: { Metric: object; Period: number } }[]).map(
          ({ Id, Expression, MetricStat }) =>
            `${Id}: ${Expression ?? JSON.stringify([MetricStat?.Metric, MetricStat?.Period])}`,
        ),
      );
    const own = (name: string, more: object) =>
      JSON.stringify([{ ...more, MetricName: name, Namespace: 'Stockroom-prod' }, 60]);
    const service = { Dimensions: [{ Name: 'service', Value: 'stockroom' }] };
    expect(expressionsOf('^A release makes requests fail')).toEqual([
      'expr_1: IF(faults >= 5, 100 * faults / (FILL(answered, 0) + FILL(gateway, 0)), 0)',
      'faults: FILL(functions, 0) + FILL(gateway, 0)',
      `functions: ${own('faults', service)}`,
      `gateway: ${own('gatewayFaults', {})}`,
      `answered: ${own('requests', service)}`,
    ]);
    const [crashes, ...ofFront] = expressionsOf('^A new front for reads crashes');
    expect(crashes).toBe('expr_1: IF(crashed >= 5, 100 * crashed / calls, 0)');
    expect(
      ofFront.map((each) =>
        /^(\w+): .*"Value":.*:live.*"MetricName":"(\w+)","Namespace":"AWS\/Lambda"\},60\]$/.exec(each)?.slice(1),
      ),
    ).toEqual([
      ['crashed', 'Errors'],
      ['calls', 'Invocations'],
    ]);
  });

  it('has no circle of resources that wait for each other', () => {
    for (const { templates } of [dev, prod])
      for (const [, each] of templates) expect(() => requireNoCircle(each)).not.toThrow();
  });

  it('has one finding of cdk-nag more than another stage, which is acknowledged', () => {
    for (const stage of validated) {
      const { acknowledged } = { dev, prod }[stage];
      const plain = synthesiseVariant({ stage, endpoints: some, isValidated: true });
      const more = new Set(
        acknowledged.filter((id) => !plain.acknowledged.includes(id) && !/\/(?:blobs|rendered)\/\*/.test(id)),
      );
      expect([...more]).toEqual(['Serverless::Serverless-LambdaTracing']);
    }
  });
});

describe('A stage without it', () => {
  it('has no function URL, no address of one, and no such function', () => {
    const plain = synthesisOfDev();
    plain.template.resourceCountIs('AWS::Lambda::Url', 0);
    expect(JSON.stringify(plain.templates)).not.toContain('packagesUrl');
    expect(outerOf(plain).Outputs).not.toHaveProperty('PackagesUrl');
    plain.template.resourcePropertiesCountIs('AWS::Lambda::Permission', { Principal: '*' }, 0);
  });
});

describe('The setting reads', () => {
  it('is gateway, url or edge, in cdk.json and as -c reads=…', () => {
    const settings = settingsOf('dev');
    expect(settings.reads).toBe('gateway');
    expect(settingsOfReads(settings, undefined, 'dev')).toBe(settings);
    expect(settingsOfReads(settings, 'url', 'dev').reads).toBe('url');
    expect(() => settingsOfReads(settings, 'cdn', 'dev')).toThrow(
      new SettingsError('There are no reads "cdn": write -c reads=gateway, url or edge.'),
    );
    expect(() => readSettings({ dev: { ...settings, reads: 'cdn' } }, 'dev')).toThrow(
      'reads must be one of gateway, url or edge.',
    );
  });

  it('is edge only where CloudFront is, and has a key', () => {
    const plain = settingsOf('dev');
    const hosted = { ...plain, ...hostSettings('dev', 'fargate') };
    const edge = { ...hosted, reads: 'edge' as const, downloadKeys: [downloadKeys[0]] };
    expect(readSettings({ dev: edge }, 'dev')).toEqual(edge);
    expect(settingsOfReads({ ...edge, reads: 'gateway' }, 'edge', 'dev')).toEqual(edge);
    const refusal = (missing: string) =>
      new SettingsError(
        `cdk.json, stage 'dev': reads is edge, which needs ${missing}: set it, or set reads to gateway or url.`,
      );
    const host = 'uploads to be web-function or fargate';
    expect(() => readSettings({ dev: { ...edge, uploads: 'gateway' } }, 'dev')).toThrow(refusal(host));
    expect(() => settingsOfReads(plain, 'edge', 'dev')).toThrow(refusal(host));
    expect(() => settingsOfReads(hosted, 'edge', 'dev')).toThrow(refusal('a key in downloadKeys'));
    expect(settingsOfUploads(edge, 'local').reads).toBe('gateway');
    expect(settingsOfUploads({ ...edge, reads: 'url' }, 'local').reads).toBe('url');
  });

  it.each([
    ['a private key', { publicKey: `MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg${'A'.repeat(80)}` }, 'publicKey'],
    ['a key of RSA', { publicKey: `MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA${'A'.repeat(340)}` }, 'publicKey'],
    ['all secrets', { secretArn: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:*-AbCdEf' }, 'secretArn'],
    ['a secret by its name', { secretArn: 'stockroom-downloads' }, 'secretArn'],
  ])('takes for edge no %s', (_, change, field) => {
    const changed = { ...settingsOf('dev'), downloadKeys: [{ ...downloadKeys[0], ...change }] };
    expect(() => readSettings({ dev: changed }, 'dev')).toThrow(`downloadKeys[0].${field} must be`);
  });
});
