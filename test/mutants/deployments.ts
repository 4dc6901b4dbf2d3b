import { bugsIn, type Mutant } from './mutant.ts';

const rules = '~infra/rules#In the stack of';
const dashboard = '~infra/rules#The dashboard';
const allowed = '~infra/rules#What the operator allows';
const bounds = '~infra/setting-bounds';
const pipe = '~infra/template#the template of prod new records go';

/** Bugs in what a deployment waits for, how long its parts may take, what it shows and what it lets the operator set. */
export const deploymentMutants: readonly Mutant[] = [
  ...bugsIn('infra/api/api.ts', rules, {
    'API Gateway may make the execution log first': ['    this.restApi.deploymentStage.node.addDependency(log);\n', ''],
    'the execution log is that of another stage': [
      '_${this.restApi.restApiId}/${stageName}`',
      '_${this.restApi.restApiId}/prod`',
    ],
    'a permission does not wait for its alias': [
      'if (lambda.node.scope) permission.node.addDependency(lambda.node.scope);',
      '',
    ],
    'a permission waits for its function alone': [
      'permission.node.addDependency(lambda.node.scope)',
      'permission.node.addDependency(lambda)',
    ],
  }),
  ...bugsIn('infra/edge/edge-domain.ts', rules, {
    'the alias of CloudFront is in the zone of the domain': [
      'hostedZoneId: CloudFrontTarget.getHostedZoneId(this)',
      'hostedZoneId',
    ],
    'a name at CloudFront has no IPv6': ["    new AaaaRecord(this, 'Address6', record);\n", ''],
  }),
  ...bugsIn('infra/api/domain.ts', rules, {
    'the alias of the API is in the zone of the domain': [
      'RecordTarget.fromAlias(new ApiGatewayDomain(domainName))',
      'RecordTarget.fromAlias({ bind: () => ({ dnsName: this.target, hostedZoneId: hostedZone.id }) })',
    ],
  }),
  ...bugsIn('infra/edge/fargate-host.ts', '~infra/rules#on Fargate', {
    'more tasks come after half an hour': [
      'scaleOutCooldown: Duration.minutes(1)',
      'scaleOutCooldown: Duration.minutes(30)',
    ],
    'tasks go as soon as they came': ['scaleInCooldown: Duration.minutes(5)', 'scaleInCooldown: Duration.seconds(5)'],
    'the last task goes': ['minCapacity: 1,', 'minCapacity: 0,'],
  }),
  ...bugsIn('infra/api/first-admin.ts', rules, {
    'the first admin has three seconds': ['timeout: Duration.seconds(30)', 'timeout: Duration.seconds(3)'],
    'the deployment gives up before the function': [
      'serviceTimeout: Duration.minutes(5)',
      'serviceTimeout: Duration.seconds(20)',
    ],
  }),
  ...bugsIn('infra/operation/sweeper.ts', rules, {
    'a sweep has five seconds': ['timeout: Duration.minutes(5)', 'timeout: Duration.seconds(5)'],
  }),
  ...bugsIn('infra/operation/verifier.ts', rules, {
    'a verification has a minute': ['timeout: Duration.minutes(15)', 'timeout: Duration.minutes(1)'],
  }),
  ...bugsIn('infra/operation/dashboard.ts', dashboard, {
    'a graph shows what another one says': [
      "['Failed sweeps', metrics.failedSweeps(),",
      "['Failed sweeps', metrics.undeliveredEvents(),",
    ],
    'the slowest requests are the median ones': [
      "metrics.api('Latency', 'p99', 'p99')",
      "metrics.api('Latency', 'p50', 'p99')",
    ],
    'two lines of a graph have one name': [
      "metrics.fetcher('AsyncEventsDropped', 'dropped')",
      "metrics.fetcher('AsyncEventsDropped', 'throttled')",
    ],
    'a graph has a part of a column': ['Math.floor(24 / graphs.length)', '24 / graphs.length'],
  }),
  ...bugsIn('infra/settings.ts', bounds, {
    'a burst of none may be set': [
      "burst: schema({ type: 'integer', minimum: 1,",
      "burst: schema({ type: 'integer', minimum: 0,",
    ],
    'a rule of the firewall may let nobody in': [
      "{ type: 'integer', minimum: 10, maximum",
      "{ type: 'integer', minimum: 0, maximum",
    ],
    'passwords may be checked nowhere': [
      "authorizerConcurrency: schema({ type: ['integer', 'null'], minimum: 1,",
      "authorizerConcurrency: schema({ type: ['integer', 'null'], minimum: 0,",
    ],
    'a table may have no ceiling of its own': [
      "writeUnitsPerSecondMax: schema({ type: 'integer', minimum: 1, maximum: 40_000 })",
      "writeUnitsPerSecondMax: schema({ type: 'integer', minimum: 1 })",
    ],
    'half a task may be set': [
      "instancesMax: schema({ type: 'integer', minimum: 2,",
      "instancesMax: schema({ type: 'number', minimum: 2,",
    ],
    'each token may be unused at once': [
      "unusedTokenDays: schema({ type: 'integer', minimum: 1,",
      "unusedTokenDays: schema({ type: 'integer', minimum: 0,",
    ],
  }),
  ...bugsIn('infra/operation/event-shape.ts', pipe, {
    'records that expire come again': ["eventName: ['INSERT']", "eventName: ['INSERT', 'REMOVE']"],
    'every item becomes an event': ["prefix: 'AUDIT#'", "prefix: ''"],
  }),
  ...bugsIn('infra/api/fetcher.ts', allowed, {
    'private upstreams are out of reach for large files': [
      "        [environment.allowedPrivateUpstreams]: settings.allowedPrivateUpstreams.join(','),\n",
      '',
    ],
  }),
  ...bugsIn('infra/api/functions.ts', allowed, {
    'private issuers are out of reach': [
      "      [environment.allowedPrivateUpstreams]: settings.allowedPrivateUpstreams.join(','),\n",
      '',
    ],
    'private upstreams are one long name': [
      "[environment.allowedPrivateUpstreams]: settings.allowedPrivateUpstreams.join(','),",
      "[environment.allowedPrivateUpstreams]: settings.allowedPrivateUpstreams.join(' '),",
    ],
  }),
];
