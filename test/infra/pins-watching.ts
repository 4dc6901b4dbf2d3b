import { Match } from 'aws-cdk-lib/assertions';
import { about, exactly, named, type Pin } from './pin.ts';

const topic = { Ref: named('MonitoringAlarms') };

type Dimensions = Readonly<Record<string, unknown>>;

/** A metric as CDK writes it where it has a label. */
export const metric = (namespace: string, name: string, statistic: string, dimensions?: Dimensions, seconds = 300) => ({
  MetricStat: exactly({
    Metric: {
      ...(dimensions && { Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })) }),
      MetricName: name,
      Namespace: namespace,
    },
    Period: seconds,
    Stat: statistic,
  }),
});

/** The faults of the service: those that functions count, and those at which no function answered; never an upstream's. */
const faultsOf = (name: string, seconds?: number, id: object = {}) => [
  { Expression: 'FILL(functions, 0) + FILL(gateway, 0)', ...id },
  { Id: 'functions', ...metric(name, 'faults', 'Sum', { service: 'stockroom' }, seconds) },
  { Id: 'gateway', ...metric(name, 'gatewayFaults', 'Sum', undefined, seconds) },
];

const faultsOfRelease = (name: string) => [
  { Expression: 'IF(faults >= 5, 100 * faults / (FILL(answered, 0) + FILL(gateway, 0)), 0)', ReturnData: true },
  ...faultsOf(name, 60, { Id: 'faults', ReturnData: false }),
  { Id: 'answered', ...metric(name, 'requests', 'Sum', { service: 'stockroom' }, 60) },
];

const authorizerFunction = { Ref: named('FunctionsAuthorizerFunction') };
const ofLive = { FunctionName: authorizerFunction, Resource: { 'Fn::Join': ['', [authorizerFunction, ':live']] } };
const newVersion = {
  'Fn::GetAtt': [
    Match.stringLikeRegexp('^FunctionsAuthorizerFunctionCurrentVersion[0-9A-F]{8}[0-9a-f]{32}$'),
    'Version',
  ],
};
const ofNewVersion = { ExecutedVersion: newVersion, ...ofLive };
const refusalsOfNewVersion = [
  { Expression: 'IF(calls >= 20, 100 * refused / calls - 100 * allRefused / allCalls, 0)', ReturnData: true },
  { Id: 'calls', ...metric('AWS/Lambda', 'Invocations', 'Sum', ofNewVersion, 60) },
  { Id: 'refused', ...metric('AWS/Lambda', 'Errors', 'Sum', ofNewVersion, 60) },
  { Id: 'allCalls', ...metric('AWS/Lambda', 'Invocations', 'Sum', ofLive, 60) },
  { Id: 'allRefused', ...metric('AWS/Lambda', 'Errors', 'Sum', ofLive, 60) },
];

/** Everything that decides whether and when an alarm rings, and whom it calls. */
export const alarm = (metrics: readonly object[], threshold: number, periods = 1) => ({
  Metrics: metrics,
  Threshold: threshold,
  ComparisonOperator: 'GreaterThanThreshold',
  EvaluationPeriods: periods,
  DatapointsToAlarm: Match.absent(),
  TreatMissingData: 'notBreaching',
  ActionsEnabled: Match.absent(),
  AlarmActions: [topic],
});

const alarmsOf = (name: string) => {
  const ofApi = (metricName: string, statistic: string) =>
    metric('AWS/ApiGateway', metricName, statistic, { ApiName: name });
  const counted = (metricName: string) => [metric(name, metricName, 'Sum', { service: 'stockroom' })];
  const authorizer = { FunctionName: { Ref: named('FunctionsAuthorizerFunction') } };
  const fetcher = { FunctionName: { Ref: named('FetchingFetcherFunction') } };
  const verifier = { FunctionName: { Ref: named('VerifyingVerifierFunction') } };
  const importer = { FunctionName: { Ref: named('ImportingImporterFunction') } };
  const queue = { QueueName: { 'Fn::GetAtt': [named('SweepingFailures'), 'QueueName'] } };
  const notes = { QueueName: { 'Fn::GetAtt': [named('EventsFailures'), 'QueueName'] } };
  const pipe = { PipeName: { Ref: named('EventsPipe') } };
  const share = { Expression: 'IF(requests > 100, 100 * faults / requests, faults)', ReturnData: true };
  const requests = ofApi('Count', 'Sum');
  return {
    'server-errors': alarm([share, ...faultsOf(name, undefined, { Id: 'faults' }), { Id: 'requests', ...requests }], 1),
    'refused-credentials': alarm(
      [
        { Expression: 'IF(refused > 100, 100 * refused / requests, 0)', ReturnData: true },
        { Id: 'refused', ...metric(name, 'unauthenticated', 'Sum') },
        { Id: 'requests', ...requests },
      ],
      75,
    ),
    'slow-requests': alarm(
      [
        { Expression: 'IF(requests > 100, slowest, 0)', ReturnData: true },
        { Id: 'slowest', ...ofApi('Latency', 'p99') },
        { Id: 'requests', ...requests },
      ],
      3_000,
      3,
    ),
    'function-throttles': alarm([metric('AWS/Lambda', 'Throttles', 'Sum')], 0),
    'authorizer-failures': alarm([metric(name, 'authorizerFailures', 'Sum')], 5),
    'authorizer-throttles': alarm([metric('AWS/Lambda', 'Throttles', 'Sum', authorizer)], 0),
    'table-throttles': alarm(counted('tableThrottles'), 50),
    'retried-conflicts': alarm(counted('conflictsRetried'), 500),
    'access-denials': alarm(counted('accessDenials'), 0),
    'password-failures': alarm(counted('passwordFailures'), 100),
    'upstream-failures': alarm(counted('upstreamFailures'), 100),
    'integrity-rejections': alarm(counted('integrityRejections'), 0),
    'lost-objects': alarm(counted('lostObjects'), 0),
    'fetcher-failures': alarm([metric('AWS/Lambda', 'AsyncEventsDropped', 'Sum', fetcher)], 0),
    'verifier-failures': alarm([metric('AWS/Lambda', 'AsyncEventsDropped', 'Sum', verifier)], 0),
    'importer-failures': alarm([metric('AWS/Lambda', 'AsyncEventsDropped', 'Sum', importer)], 0),
    'importer-refusals': alarm(counted('refusedImports'), 0),
    'sweeper-backlog': alarm([metric(name, 'unfinishedSweeps', 'Sum', { service: 'stockroom' }, 21_600)], 4),
    'sweeper-failures': alarm([metric('AWS/SQS', 'ApproximateNumberOfMessagesVisible', 'Maximum', queue)], 0),
    'undelivered-events': alarm([metric('AWS/SQS', 'ApproximateNumberOfMessagesVisible', 'Maximum', notes)], 0),
    'event-failures': alarm([metric('AWS/EventBridge/Pipes', 'ExecutionFailed', 'Sum', pipe)], 0, 3),
  };
};

const releaseAlarmPins = (name: string): readonly Pin[] => [
  ...about(['AWS::CloudWatch::Alarm', { AlarmDescription: Match.stringLikeRegexp('^A release makes requests fail') }], {
    'a release goes back at five faults in a minute, if they are more than one percent': [
      1,
      alarm(faultsOfRelease(name), 1),
    ],
  }),
  ...about(['AWS::CloudWatch::Alarm', { AlarmDescription: Match.stringLikeRegexp('^The new authorizer refuses') }], {
    'a new authorizer goes back if of twenty credentials in a minute it refuses 50 percent more than the others': [
      1,
      alarm(refusalsOfNewVersion, 50),
    ],
  }),
];

const alarmPins = (name: string, hasCanaries: boolean): readonly Pin[] => [
  ...about('AWS::CloudWatch::Alarm', { 'there is no other alarm': hasCanaries ? 23 : 21 }),
  ...Object.entries(alarmsOf(name)).flatMap(([short, held]) =>
    about(['AWS::CloudWatch::Alarm', { AlarmName: `${name}-${short}` }], { [`${short} are watched`]: [1, held] }),
  ),
  ...about(['AWS::CloudWatch::Alarm', { AlarmName: Match.absent() }], {
    'no other alarm is of a release': hasCanaries ? 2 : 0,
  }),
  ...(hasCanaries ? releaseAlarmPins(name) : []),
];

export const overTlsAlone = { Bool: { 'aws:SecureTransport': 'false' } };

/** Who is written to, and who may write to the topic. */
const topicPins = (email: string | undefined): readonly Pin[] => [
  ...about('AWS::SNS::TopicPolicy', {
    'alarms travel encrypted, and come from this account': [
      1,
      {
        PolicyDocument: {
          Statement: [
            {
              Effect: 'Deny',
              Action: 'sns:Publish',
              Principal: '*',
              Resource: topic,
              Condition: exactly(overTlsAlone),
            },
            {
              Effect: 'Allow',
              Action: 'sns:Publish',
              Principal: exactly({ Service: 'cloudwatch.amazonaws.com' }),
              Resource: topic,
              Condition: exactly({ StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } }),
            },
          ],
        },
        Topics: [topic],
      },
    ],
  }),
  ...about(
    'AWS::SNS::Subscription',
    email === undefined
      ? { 'no one is written to': 0 }
      : { 'alarms are written to the address': [1, { Endpoint: email, Protocol: 'email', TopicArn: topic }] },
  ),
];

export interface WatchFacts {
  readonly name: string;
  readonly email: string | undefined;
  readonly hasCanaries: boolean;
}

/** Alarms and the dashboard. */
export const watchPins = ({ name, email, hasCanaries }: WatchFacts): readonly Pin[] => [
  ...alarmPins(name, hasCanaries),
  ...about('AWS::Logs::MetricFilter', { 'three kinds of lines of the access log are counted': 3 }),
  ...about(['AWS::Logs::MetricFilter', { MetricTransformations: [{ MetricName: 'unauthenticated' }] }], {
    'requests that are refused with 401 are found in the access log, and counted': [
      1,
      {
        FilterPattern: '{ $.status = "401" }',
        LogGroupName: { Ref: named('ApiAccessLog') },
        MetricTransformations: [exactly({ MetricName: 'unauthenticated', MetricNamespace: name, MetricValue: '1' })],
      },
    ],
  }),
  ...about(['AWS::Logs::MetricFilter', { MetricTransformations: [{ MetricName: 'gatewayFaults' }] }], {
    'requests that no function answered are found in the access log, and counted': [
      1,
      {
        FilterPattern: '{ ($.status = "5*") && ($.errorType != "-") }',
        LogGroupName: { Ref: named('ApiAccessLog') },
        MetricTransformations: [exactly({ MetricName: 'gatewayFaults', MetricNamespace: name, MetricValue: '1' })],
      },
    ],
  }),
  ...about(['AWS::Logs::MetricFilter', { MetricTransformations: [{ MetricName: 'authorizerFailures' }] }], {
    'failures of the authorizer are found in the access log, and counted': [
      1,
      {
        FilterPattern: '{ ($.errorType = "AUTHORIZER_FAILURE") || ($.errorType = "AUTHORIZER_CONFIGURATION_ERROR") }',
        LogGroupName: { Ref: named('ApiAccessLog') },
        MetricTransformations: [exactly({ MetricName: 'authorizerFailures', MetricNamespace: name, MetricValue: '1' })],
      },
    ],
  }),
  ...topicPins(email),
  ...about('AWS::CloudWatch::Dashboard', { 'there is one dashboard': [1, { DashboardName: name }] }),
];
