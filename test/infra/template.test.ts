import { Queue } from 'aws-cdk-lib/aws-sqs';
import { endpoints } from '../../functions/endpoints.ts';
import { acknowledgements } from '../../infra/acknowledgements.ts';
import { rightsOf } from '../../infra/api/rights.ts';
import { grantedTo } from '../../infra/released-rights.ts';
import type { StoreRight } from '../../shared/http/function-rights.ts';
import { metricNames } from '../../shared/observability/metric-names.ts';
import { shareOf } from '../harness/sampling.ts';
import { sampleEndpoints } from '../sample-endpoints/endpoints.ts';
import { requireNoCircle } from './circles.ts';
import { someEndpoints } from './hosts.ts';
import { breaches, check, isHeld, type Pin, resourcesOf } from './pin.ts';
import { pins } from './pins.ts';
import { type Resources, settingsOf, synthesiseVariant, synthesisOfDev, type Variant } from './templates.ts';

/** CDK and cdk-nag take as long as the rest of this file to look for flaws: they look at one stage each day, with ALL_CASES at both. */
const validated = shareOf(['dev', 'prod'] as const, 2);

const stages = {
  dev: synthesisOfDev(),
  prod: synthesiseVariant({ stage: 'prod', isValidated: validated.includes('prod') }),
};

/** What costs nothing unless it is used. Logs end, as their pins say. */
const freeWhileIdle: ReadonlySet<string> = new Set([
  'AWS::CodeDeploy::DeploymentGroup',
  'AWS::IAM::Role',
  'AWS::Lambda::Alias',
  'AWS::Lambda::Function',
  'AWS::Lambda::Permission',
  'AWS::Lambda::Version',
  'AWS::Logs::LogGroup',
]);

const objectsOf = (right: StoreRight): string => right.replace(/^\w+ /, '');

describe.each(['dev', 'prod'] as const)('the template of %s', (stage) => {
  const { templates, resources, template, notes, isProtected } = stages[stage];
  const breachesOf = (pin: Pin) => breaches(pin, resourcesOf(pin, template));

  it.each(pins[stage].map((pin) => [pin.promise, pin] as const))('%s', (_, pin: Pin) => {
    check(pin, resourcesOf(pin, template));
    // A pin that cannot turn red holds nothing: it is shown templates that break it.
    const unseen = breachesOf(pin).filter(([, broken]) => isHeld(pin, broken));
    expect(unseen.map(([breach]) => breach)).toEqual([]);
  });

  it('is held by at least 120 pins, each of another promise, which at least 1,200 breaches turn red', () => {
    const promises = pins[stage].map(({ promise }) => promise);
    expect(promises.length).toBeGreaterThanOrEqual(120);
    expect(new Set(promises).size).toBe(promises.length);
    expect(pins[stage].flatMap(breachesOf).length).toBeGreaterThanOrEqual(1_200);
  });

  it('makes nothing for the console and its sessions that costs something while nobody looks', () => {
    const made = templates
      .filter(([file]) => /Functions(?:Console|Sessions)[0-9A-F]{8}/.test(file))
      .flatMap(([, { Resources }]) => Object.values(Resources));
    expect(made.filter(({ Type }) => Type === 'AWS::Lambda::Function')).toHaveLength(
      endpoints.filter(({ id }) => /^(?:console|sessions)\//.test(id)).length,
    );
    expect(made.filter(({ Type }) => !freeWhileIdle.has(Type))).toEqual([]);
    expect(made.filter((each) => JSON.stringify(each).includes('Provisioned'))).toEqual([]);
  });

  it.each(templates)('%s has no circle of resources that wait for each other', (_, each) => {
    requireNoCircle(each);
    const [id = ''] = Object.keys(each.Resources);
    const UpdatePolicy = { CodeDeployLambdaAliasUpdate: { DeploymentGroupName: { Ref: 'Planted' } } };
    const circle = { [id]: { ...each.Resources[id], UpdatePolicy }, Planted: { Type: 'Planted', DependsOn: id } };
    expect(() => requireNoCircle({ Resources: { ...each.Resources, ...circle } as Resources })).toThrow(
      'dependency cycle',
    );
  });

  it('retains what prod keeps, and of dev what other APIs use', () => {
    const kept = resources
      .filter((each) =>
        [each.DeletionPolicy, each.UpdateReplacePolicy].some((policy) => /^(?:Retain|Snap)/.test(policy ?? '')),
      )
      .map(({ Type }) => Type);
    const secrets = Array<string>(2).fill('AWS::SecretsManager::Secret');
    const keys = Array<string>(3).fill('AWS::KMS::Key');
    const data = ['AWS::DynamoDB::Table', ...keys, ...secrets];
    const store = ['AWS::S3::Bucket', 'AWS::S3::BucketPolicy'];
    const logs = resources.filter(({ Type }) => Type === 'AWS::Logs::LogGroup').map(({ Type }) => Type);
    // What the logs of every API of the account are written with.
    const logRole = ['AWS::ApiGateway::Account', 'AWS::IAM::Role'];
    const expected = stage === 'prod' ? [...data, ...store, ...logs, ...logRole] : logRole;
    expect(kept.toSorted()).toEqual(expected.toSorted());
    // What AWS makes by itself and leaves behind: no log group without a resource of its own.
    expect(resources.filter(({ Type }) => Type.startsWith('Custom::LogRetention'))).toEqual([]);
  });

  it(`can${stage === 'prod' ? 'not' : ''} be deleted by accident`, () => {
    expect(isProtected).toBe(stage === 'prod');
  });

  it('names the quota that its reserved concurrency needs, where it reserves some', () => {
    const functions = resources.filter(({ Type }) => Type === 'AWS::Lambda::Function');
    const reserved = functions.map(({ Properties }) => Number(Properties?.ReservedConcurrentExecutions ?? 0));
    const quota = reserved.reduce((sum, each) => sum + each, 0) + 100;
    const { 'stockroom:account-log-role': _role, ...others } = notes;
    expect(others).toEqual(
      stage === 'prod'
        ? { 'stockroom:concurrency': expect.stringMatching(`^info: The account needs a quota of ${quota} concurrent`) }
        : {},
    );
  });

  it('says that its creation replaces the log role of the account', () => {
    expect(notes['stockroom:account-log-role']).toMatch(/^info: The creation of this stack replaces the role/);
  });

  it('shows every metric that the functions write on the dashboard', () => {
    const body = JSON.stringify(template.findResources('AWS::CloudWatch::Dashboard'));
    expect(Object.values(metricNames).filter((name) => !body.includes(name))).toEqual([]);
  });

  it('tells the base URL, the table, the store and the name of the secret, and no password', () => {
    const outputs = templates[0]?.[1].Outputs ?? {};
    expect(Object.keys(outputs).toSorted()).toEqual([
      'BaseUrl',
      'EventBus',
      'FirstAdminSecret',
      'StoreBucket',
      'TableName',
    ]);
    expect(JSON.stringify(outputs)).not.toMatch(/resolve:secretsmanager|SecretString/);
  });

  if (validated.includes(stage))
    it('has at most twelve acknowledged findings of cdk-nag, each with a reason, none of them stale', () => {
      const rules = acknowledgements(settingsOf(stage));
      expect(rules.length).toBeLessThanOrEqual(12);
      expect(rules.filter(({ reason }) => reason.length < 40)).toEqual([]);
      const { acknowledged } = stage === 'prod' ? stages.prod : synthesiseVariant({ stage, isValidated: true });
      const rightOnStore =
        /^AwsSolutions::AwsSolutions-IAM5\[Resource::<(?:referencetoStockroom\w+Arn|Store\w+\.Arn)>\/(.+)\]$/;
      const objects = new Set(acknowledged.flatMap((id) => rightOnStore.exec(id)?.[1] ?? []));
      expect(objects).toEqual(
        new Set(endpoints.flatMap((endpoint) => grantedTo(endpoint.id, rightsOf(endpoint)).store.map(objectsOf))),
      );
      const others = new Set(acknowledged.filter((id) => !rightOnStore.test(id)));
      expect([...others].toSorted()).toEqual(rules.map(({ id }) => id).toSorted());
    });
});

describe('A finding of cdk-nag', () => {
  it('that nobody acknowledged stops the synthesis', () => {
    const some = endpoints.filter(({ id }) => id.startsWith('system/'));
    const withLooseQueue = () =>
      synthesiseVariant({
        stage: 'dev',
        endpoints: some,
        extend: (stack) => new Queue(stack, 'Loose'),
        isValidated: true,
      });
    expect(withLooseQueue).toThrow('SQS4');
  });

  const variants: readonly [string, Partial<Variant>][] = [
    ['the door of the local runner', { change: { uploads: 'local' }, endpoints: someEndpoints }],
    ['endpoints of all kinds', { endpoints: sampleEndpoints }],
  ];

  it.each(shareOf(variants, 2))('is not caused by %s', (_, variant) => {
    expect(() => synthesiseVariant({ stage: 'dev', ...variant, isValidated: true })).not.toThrow();
  });
});
