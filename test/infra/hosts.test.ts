import { acknowledgements } from '../../infra/acknowledgements.ts';
import { functionIdMetadata } from '../../infra/api/function-metadata.ts';
import { doorAcknowledgements } from '../../infra/edge/door-acknowledgements.ts';
import { shareOf } from '../harness/sampling.ts';
import { hostSettings, someEndpoints, synthesiseHost } from './hosts.ts';
import { breaches, check, isHeld, type Pin, resourcesOf } from './pin.ts';
import { commonHostPins, secretValue } from './pins-cloudfront.ts';
import { doorWatchPins } from './pins-door-watching.ts';
import { fargatePins } from './pins-fargate.ts';
import { webFunctionPins } from './pins-web-function.ts';
import { settingsOf, synthesiseVariant, type TemplateResource } from './templates.ts';

/** One host each day, with ALL_CASES both: to look for flaws takes two thirds of a synthesis. */
const validated: readonly string[] = shareOf(['web-function', 'fargate'], 2);

const hosts = {
  'web-function': synthesiseHost('prod', 'web-function', { isValidated: validated.includes('web-function') }),
  fargate: synthesiseHost('prod', 'fargate', { isValidated: validated.includes('fargate') }),
};

const pins = {
  'web-function': [...commonHostPins('web-function'), ...webFunctionPins, ...doorWatchPins('web-function')],
  fargate: [...commonHostPins('fargate'), ...fargatePins, ...doorWatchPins('fargate')],
};

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

const statementsOf = (role: TemplateResource | undefined): Statement[] => {
  const { Policies = [] } = (role?.Properties ?? {}) as { Policies?: { PolicyDocument: { Statement: Statement[] } }[] };
  return Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
};

describe.each(['web-function', 'fargate'] as const)('a stage whose door is a %s', (uploads) => {
  const { template, templates, resources, notes, acknowledged } = hosts[uploads];

  it.each(pins[uploads].map((pin) => [pin.promise, pin] as const))('%s', (_, pin: Pin) => {
    const held = resourcesOf(pin, template);
    check(pin, held);
    // A pin that cannot turn red holds nothing: it is shown templates that break it.
    const unseen = breaches(pin, held).filter(([, broken]) => isHeld(pin, broken));
    expect(unseen.map(([breach]) => breach)).toEqual([]);
  });

  it('has the same name for the secret in every place, and a value of it in none', () => {
    const text = JSON.stringify(templates);
    const references = Array.from(text.matchAll(/resolve:secretsmanager:/g)).length;
    // Two origins of CloudFront and the rule of the firewall; the configuration of the copied bundle has none.
    expect(references).toBe(3);
    const outputs = templates.flatMap(([, { Outputs = {} }]) => Object.values(Outputs));
    // The name of the secret alone.
    const ofSecret = outputs.filter((output) => JSON.stringify(output).includes('EdgeSecret'));
    expect(ofSecret.map(({ Value }) => Value)).toEqual([{ Ref: expect.stringMatching(/^DoorEdgeSecret/) }]);
    expect(JSON.stringify(secretValue('first'))).toContain('SecretString:first');
  });

  it('lets the door write the staging area, sign references, read its secret and do what its host needs', () => {
    const roles = resources.filter(({ Metadata }) => Metadata?.[functionIdMetadata] === 'door');
    const rights = roles
      .flatMap(statementsOf)
      .map(({ Action, Resource }) => [[Action].flat().join(), JSON.stringify(Resource)] as const);
    const ofHost =
      uploads === 'fargate'
        ? ['s3:GetObject', expect.stringMatching(/cdk-hnb659fds-assets-.*\/[0-9a-f]{64}\.js"/)]
        : ['logs:CreateLogStream,logs:PutLogEvents', expect.stringMatching(/"DoorLog/)];
    expect(rights).toEqual([
      [
        's3:AbortMultipartUpload,s3:DeleteObject,s3:PutObject',
        expect.stringMatching(/"Store\w+","Arn"\]},"\/staging\/\*"/),
      ],
      ['s3:PutObject', expect.stringMatching(/"Store\w+","Arn"\]},"\/blobs\/\*"/)],
      ['kms:GenerateMac', expect.stringMatching(/"DoorKey/)],
      ['secretsmanager:GetSecretValue', expect.stringMatching(/"DoorEdgeSecret/)],
      ofHost,
    ]);
  });

  it('lets nobody else sign a reference or read the secret', () => {
    const others = resources.filter(
      ({ Type, Metadata }) => Type === 'AWS::IAM::Role' && !Metadata?.[functionIdMetadata],
    );
    const actions = others.flatMap(statementsOf).flatMap(({ Action }) => Action);
    expect(actions).toContain('kms:VerifyMac');
    expect(actions.filter((action) => action === 'kms:GenerateMac')).toEqual([]);
    const readers = resources.filter((resource) =>
      statementsOf(resource).some(({ Resource }) => JSON.stringify(Resource).includes('DoorEdgeSecret')),
    );
    expect(readers.map(({ Metadata }) => Metadata?.[functionIdMetadata])).toEqual(['door']);
  });

  it('tells every function the address of the service, and to believe CloudFront about that of the client', () => {
    const functions = resources.filter(
      ({ Metadata, Type }) => Type === 'AWS::Lambda::Function' && Metadata?.[functionIdMetadata],
    );
    const served = functions.filter(({ Metadata }) => String(Metadata?.[functionIdMetadata]).includes('/'));
    const variables = [
      ...served,
      ...functions.filter(({ Metadata }) => Metadata?.[functionIdMetadata] === 'authorizer'),
    ];
    expect(served.length).toBeGreaterThan(10);
    for (const { Properties } of variables)
      expect(Properties?.Environment).toMatchObject({
        Variables: { PUBLIC_URL: 'https://stockroom.example.com', TRUSTS_EDGE: 'true' },
      });
  });

  it('tells where its host name must lead', () => {
    const outputs = templates[0]?.[1].Outputs ?? {};
    expect(outputs.BaseUrl?.Value).toBe('https://stockroom.example.com');
    expect(outputs.DomainTarget?.Value).toEqual({
      'Fn::GetAtt': [expect.stringMatching(/^DoorEdgeDistribution/), 'DomainName'],
    });
  });

  it('tells the ID of its distribution and the name of its secret, which the runbook needs', () => {
    const { DistributionId, EdgeSecret } = templates[0]?.[1].Outputs ?? {};
    expect(DistributionId?.Value).toEqual({ Ref: expect.stringMatching(/^DoorEdgeDistribution/) });
    expect(EdgeSecret?.Value).toEqual({ Ref: expect.stringMatching(/^DoorEdgeSecret/) });
  });

  it('shows the door on the dashboard', () => {
    const dashboard = JSON.stringify(template.findResources('AWS::CloudWatch::Dashboard'));
    for (const metric of ['doorFailures', 'doorUploads', 'doorCuts']) expect(dashboard).toContain(metric);
    for (const metric of ['UnHealthyHostCount', 'HTTPCode_ELB_5XX_Count'])
      expect(dashboard.includes(metric)).toBe(uploads === 'fargate');
  });

  if (validated.includes(uploads))
    it('has no acknowledged finding that is stale or has no reason, and no warning', () => {
      const settings = { ...settingsOf('prod'), uploads };
      const own = doorAcknowledgements(settings);
      expect(own.filter(({ reason }) => reason.length < 40)).toEqual([]);
      for (const { id } of own) expect(acknowledged).toContain(id);
      const all = new Set([...own, ...acknowledgements(settings)].map(({ id }) => id));
      expect(acknowledged.filter((id) => !all.has(id) && !/\/(?:staging|blobs)\/\*\]$/.test(id))).toEqual([]);
      expect(Object.keys(notes).toSorted()).toEqual(['stockroom:account-log-role', 'stockroom:concurrency']);
    });
});

describe('A deployment that brings CloudFront', () => {
  it('changes the records of the host name, and makes no second ones, which Route 53 refuses', () => {
    const { domain } = hostSettings('prod', 'fargate');
    const { templates } = synthesiseVariant({ stage: 'prod', endpoints: someEndpoints, change: { domain } });
    const recordsIn = (of: typeof templates) =>
      Object.entries(of[0]?.[1].Resources ?? {})
        .filter(([, { Type }]) => Type === 'AWS::Route53::RecordSet')
        .map(([id, { Properties }]) => [id, Properties?.Type, Properties?.Name]);
    expect(recordsIn(templates)).toHaveLength(2);
    for (const { templates: after } of Object.values(hosts)) expect(recordsIn(after)).toEqual(recordsIn(templates));
  });
});

describe('The values of the secret', () => {
  it('are all accepted while they are exchanged, and CloudFront sends the first', () => {
    const { template } = synthesiseHost('prod', 'fargate', { ofDoor: { edgeSecrets: ['second', 'first'] } });
    const [distribution] = Object.values(template.findResources('AWS::CloudFront::Distribution'));
    const [firewall] = Object.values(template.findResources('AWS::WAFv2::WebACL'));
    expect(JSON.stringify(distribution)).toMatch(/SecretString:second::}}/);
    expect(JSON.stringify(distribution)).not.toMatch(/SecretString:first::}}/);
    const accepted = (firewall as { Properties: { Rules: [{ Statement: unknown }] } }).Properties.Rules[0].Statement;
    expect(JSON.stringify(accepted)).toMatch(/OrStatement.*SecretString:second::}}.*SecretString:first::}}/);
  });
});

describe('The rate of a web function', () => {
  it.each([
    [50, 100],
    [1_900, 1_000],
  ])('is one that Lambda has, for %d requests per second in the settings', (requestsPerSecond, rate) => {
    const change = { ...hostSettings('prod', 'web-function'), throttle: { requestsPerSecond, burst: 1 } };
    const { template } = synthesiseVariant({ stage: 'prod', endpoints: someEndpoints, change });
    template.hasResourceProperties('AWS::Lambda::WebFunctionEndpoint', { ThrottleConfig: { RateLimit: rate } });
  });
});

describe('A stage without the firewall', () => {
  it('counts passwords by the addresses that it sees, and says so', () => {
    const { notes, resources } = synthesiseHost('dev', 'web-function');
    expect(notes['stockroom:edge-without-firewall']).toMatch(/^warning: Wrong passwords are counted by the addresses/);
    expect(JSON.stringify(resources)).not.toContain('TRUSTS_EDGE');
  });
});
