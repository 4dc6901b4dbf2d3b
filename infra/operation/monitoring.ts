import { Aws, Duration } from 'aws-cdk-lib';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Api } from '../api/api.ts';
import type { Fetcher } from '../api/fetcher.ts';
import type { Functions } from '../api/functions.ts';
import type { PackagesFront } from '../api/packages-front.ts';
import type { Releases } from '../api/releases.ts';
import type { Outside } from '../edge/door.ts';
import { DoorMetrics } from '../edge/door-metrics.ts';
import type { Settings } from '../settings.ts';
import type { StockroomTable } from '../table.ts';
import { StockroomDashboard } from './dashboard.ts';
import type { Events } from './events.ts';
import type { Importer } from './importer.ts';
import { ofAllFunctions, WatchedMetrics } from './metrics.ts';
import type { Sweeper } from './sweeper.ts';
import type { Verifier } from './verifier.ts';
import { conditionOf, doorWatchesOf, frontWatchesOf, type Watch } from './watches.ts';

export interface MonitoringProps {
  readonly name: string;
  readonly settings: Settings;
  readonly table: StockroomTable;
  readonly functions: Functions;
  readonly api: Api;
  readonly releases: Releases;
  readonly fetcher: Fetcher;
  readonly verifier: Verifier;
  readonly importer: Importer;
  readonly sweeper: Sweeper;
  readonly events: Events;
  /** Where the stage has a door on AWS. */
  readonly door: Outside | undefined;
  /** Where the stage has a second front for reads. */
  readonly front: PackagesFront | undefined;
}

const watchesOf = (metrics: WatchedMetrics): Readonly<Record<string, Watch>> => ({
  'server-errors': {
    metric: metrics.faultPercent(),
    above: 1,
    periods: 1,
    description: 'More than one percent of the requests fail by a fault of the service.',
  },
  'refused-credentials': {
    metric: metrics.unauthenticatedPercent(),
    above: 75,
    periods: 1,
    description:
      'Three of four requests are refused with 401: the authorizer refuses everybody, or a large job has no valid token.',
  },
  'slow-requests': {
    metric: metrics.slowest(),
    above: 3_000,
    periods: 3,
    description: 'One request in a hundred takes more than three seconds.',
  },
  'function-throttles': {
    metric: ofAllFunctions('Throttles', 'Sum', 'throttled'),
    above: 0,
    periods: 1,
    description: 'Lambda refuses calls: the account or a function has reached its concurrency.',
  },
  'authorizer-failures': {
    metric: metrics.authorizerFailures,
    above: 5,
    periods: 1,
    description: 'The authorizer fails, so requests with valid credentials get 503.',
  },
  'authorizer-throttles': {
    metric: metrics.authorizer('Throttles', 'Sum', 'throttled'),
    above: 0,
    periods: 1,
    description: 'The authorizer has reached its concurrency: credentials flood in, or the setting is too low.',
  },
  'table-throttles': {
    metric: metrics.counted('tableThrottles', 'throttled calls'),
    above: 50,
    periods: 1,
    description: 'The table throttles: a hot partition, or its ceiling is too low.',
  },
  'retried-conflicts': {
    metric: metrics.counted('conflictsRetried', 'retried conflicts'),
    above: 500,
    periods: 1,
    description: 'Many requests change the same items at the same time, and wait for each other.',
  },
  'access-denials': {
    metric: metrics.counted('accessDenials', 'denied by AWS'),
    above: 0,
    periods: 1,
    description: 'AWS denies a function the key or the table: a right is missing, or a key is disabled.',
  },
  'password-failures': {
    metric: metrics.counted('passwordFailures', 'wrong passwords'),
    above: 100,
    periods: 1,
    description: 'Many wrong passwords: somebody is guessing, or a job uses an old one.',
  },
  'upstream-failures': {
    metric: metrics.counted('upstreamFailures', 'failed upstreams'),
    above: 100,
    periods: 1,
    description: 'Upstreams of remote repositories fail: stale copies are served where there are any, and 502 or 504.',
  },
  'integrity-rejections': {
    metric: metrics.counted('integrityRejections', 'rejected files'),
    above: 0,
    periods: 1,
    description: 'An upstream sent a file that is not what its index promised. It was rejected.',
  },
  'lost-objects': {
    metric: metrics.counted('lostObjects', 'lost objects'),
    above: 0,
    periods: 1,
    description: 'The bucket lacks an object that the table refers to, or has other bytes than its hash says.',
  },
  'fetcher-failures': {
    // It counts the events that failed, and those for which no concurrency was left in time.
    metric: metrics.fetcher('AsyncEventsDropped', 'dropped fetches'),
    above: 0,
    periods: 1,
    description: 'The function that goes on with long fetches failed, or has reached its concurrency.',
  },
  'verifier-failures': {
    metric: metrics.verifier('AsyncEventsDropped', 'dropped runs'),
    above: 0,
    periods: 1,
    description: 'The function that verifies files which were uploaded in parts failed, or found no concurrency.',
  },
  'importer-failures': {
    metric: metrics.importer('AsyncEventsDropped', 'dropped runs'),
    above: 0,
    periods: 1,
    description: 'A run of the function that imports advisories failed three times.',
  },
  'importer-refusals': {
    metric: metrics.counted('refusedImports', 'refused archives'),
    above: 0,
    periods: 1,
    description: 'An archive of advisories was refused; the gates go on with what was known before.',
  },
  'sweeper-failures': {
    metric: metrics.failedSweeps(),
    above: 0,
    periods: 1,
    description: 'A run of the sweeping job failed three times; the remains of deleted workspaces stay in the table.',
  },
  'sweeper-backlog': {
    // One run an hour.
    metric: metrics.counted('unfinishedSweeps', 'unfinished runs').with({ period: Duration.hours(6) }),
    above: 4,
    periods: 1,
    description: 'The sweeping job has not come to the end of its queue for hours; what it leaves is billed.',
  },
  'undelivered-events': {
    metric: metrics.undeliveredEvents(),
    above: 0,
    periods: 1,
    description: 'Records of changes did not become events for a day. They are still in the table.',
  },
  'event-failures': {
    metric: metrics.failedEvents(),
    above: 0,
    periods: 3,
    description: 'Records of changes have not become events for a quarter of an hour. After a day they are left out.',
  },
});

/** The alarms, the topic that they notify, and the dashboard. */
export class Monitoring extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { name, settings, functions, releases, door, front, ...props }: MonitoringProps,
  ) {
    super(scope, id);
    const { authorizer } = functions;
    const metrics = new WatchedMetrics(this, 'Metrics', { name, authorizer, front: front?.lambda, ...props });
    const ofDoor = door && new DoorMetrics(this, 'Door', name, door);
    const watches = {
      ...watchesOf(metrics),
      ...(ofDoor && doorWatchesOf(ofDoor, door)),
      ...(front && frontWatchesOf(front)),
    };
    const notify = new SnsAction(this.createTopic(settings.alarmEmail));
    for (const [alarm, { metric, periods, description, ...limit }] of Object.entries(watches)) {
      const made = new Alarm(this, alarm, {
        alarmName: `${name}-${alarm}`,
        alarmDescription: description,
        metric,
        evaluationPeriods: periods,
        ...conditionOf(limit),
      });
      made.addAlarmAction(notify);
      if ('once' in limit) made.node.addDependency(limit.once);
    }
    for (const alarm of releases.alarms) alarm.addAlarmAction(notify);
    new StockroomDashboard(this, 'Dashboard', { name, metrics, door: ofDoor, front: front?.lambda });
  }

  private createTopic(email: string | null): Topic {
    const topic = new Topic(this, 'Alarms', { displayName: 'Stockroom', enforceSSL: true });
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    );
    if (email) {
      const deadLetterQueue = new Queue(this, 'Undelivered', { enforceSSL: true, retentionPeriod: Duration.days(14) });
      topic.addSubscription(new EmailSubscription(email, { deadLetterQueue }));
    }
    return topic;
  }
}
