import { acknowledgements } from '../../infra/acknowledgements.ts';
import { metricNames } from '../../shared/observability/metric-names.ts';
import { circle } from './circle.ts';
import { breaches, failures, type Pin } from './pin.ts';
import { pins } from './pins.ts';
import { settingsOf, synthesiseVariant, synthesisOfDev } from './templates.ts';

const stages = {
  dev: synthesisOfDev(),
  prod: synthesiseVariant({ stage: 'prod', change: { alarmEmail: 'alarms@example.com' } }),
};

describe.each(['dev', 'prod'] as const)('the template of %s', (stage) => {
  const { templates, resources, acknowledged } = stages[stage];

  it.each(pins[stage].map((pin) => [pin.promise, pin] as const))('%s', (_, pin: Pin) => {
    expect(failures(pin, resources)).toEqual([]);
    // A pin that cannot turn red holds nothing: it is shown templates that break it.
    for (const [breach, broken] of breaches(pin, resources)) {
      expect([breach, failures(pin, broken)]).not.toEqual([breach, []]);
    }
  });

  it('is held by at least 60 pins, each of another promise', () => {
    const promises = pins[stage].map(({ promise }) => promise);
    expect(promises.length).toBeGreaterThanOrEqual(60);
    expect(new Set(promises).size).toBe(promises.length);
  });

  it.each(templates)('%s has no circle of resources that wait for each other', (_, template) => {
    expect(circle(template)).toEqual([]);
  });

  it('retains what prod keeps, and nothing of dev', () => {
    const kept = resources
      .filter((each) =>
        [each.DeletionPolicy, each.UpdateReplacePolicy].some((policy) => /^(?:Retain|Snap)/.test(policy ?? '')),
      )
      .map(({ Type }) => Type);
    const data = ['AWS::DynamoDB::Table', 'AWS::KMS::Key', 'AWS::KMS::Key', 'AWS::SecretsManager::Secret'];
    const store = ['AWS::S3::Bucket', 'AWS::S3::BucketPolicy'];
    const logRole = ['AWS::ApiGateway::Account', 'AWS::IAM::Role'];
    expect(kept.toSorted()).toEqual(stage === 'prod' ? [...data, ...store, ...logRole].toSorted() : []);
    // What AWS makes by itself and leaves behind: no log group without a resource of its own.
    expect(resources.filter(({ Type }) => Type.startsWith('Custom::LogRetention'))).toEqual([]);
  });

  it('shows every metric that the functions write on the dashboard', () => {
    const dashboard = resources.find(({ Type }) => Type === 'AWS::CloudWatch::Dashboard');
    const body = JSON.stringify(dashboard?.Properties?.DashboardBody);
    expect(Object.values(metricNames).filter((name) => !body.includes(name))).toEqual([]);
  });

  it('tells the base URL, the store and the name of the secret, and no password', () => {
    const outputs = templates[0]?.[1].Outputs ?? {};
    expect(Object.keys(outputs).toSorted()).toEqual(['BaseUrl', 'FirstAdminSecret', 'StoreBucket']);
    expect(JSON.stringify(outputs)).not.toMatch(/resolve:secretsmanager|SecretString/);
  });

  it('has at most twelve acknowledged findings of cdk-nag, each with a reason, none of them stale', () => {
    const rules = acknowledgements(settingsOf(stage));
    expect(rules.length).toBeLessThanOrEqual(12);
    expect(rules.filter(({ reason }) => reason.length < 40)).toEqual([]);
    expect([...new Set(acknowledged)].toSorted()).toEqual(rules.map(({ id }) => id).toSorted());
  });
});
