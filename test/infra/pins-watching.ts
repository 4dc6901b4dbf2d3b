import type { Pin } from './pin.ts';
import type { TemplateResource } from './templates.ts';

const alarm = 'AWS::CloudWatch::Alarm';
const queue = 'AWS::SQS::Queue';

/** Where CDK writes a metric that has a label. */
const stat = 'Properties.Metrics.0.MetricStat';

const alarmPins = (name: string, metric: string, threshold: number, statistic?: string): readonly Pin[] => {
  const isIt = ({ Properties }: TemplateResource) => String(Properties?.AlarmName).endsWith(`-${name}`);
  return [
    {
      promise: `${name} is watched`,
      type: alarm,
      of: isIt,
      count: 1,
      path: `${stat}.Metric.MetricName`,
      expected: metric,
    },
    { promise: `${name} has its threshold`, type: alarm, of: isIt, path: 'Properties.Threshold', expected: threshold },
    ...(statistic === undefined
      ? []
      : [
          {
            promise: `${name} is measured as ${statistic}`,
            type: alarm,
            of: isIt,
            path: `${stat}.Stat`,
            expected: statistic,
          },
        ]),
  ];
};

const isErrorRate = ({ Properties }: TemplateResource) => String(Properties?.AlarmName).endsWith('-server-errors');
const isTold = (actions: unknown) =>
  Array.isArray(actions) &&
  actions.length === 1 &&
  String((actions[0] as { Ref?: string })?.Ref).startsWith('MonitoringAlarms');

/** Alarms, the dashboard and the sweeping job. */
export const watchPins = ({ name, email }: { name: string; email: string | undefined }): readonly Pin[] => [
  {
    promise: 'failed requests are watched by their share',
    type: alarm,
    of: isErrorRate,
    count: 1,
    path: 'Properties.Metrics.0.Expression',
    expected: 'IF(requests > 100, 100 * errors / requests, errors)',
  },
  {
    promise: 'one percent of them is too much',
    type: alarm,
    of: isErrorRate,
    path: 'Properties.Threshold',
    expected: 1,
  },
  ...alarmPins('slow-requests', 'Latency', 3_000, 'p99'),
  ...alarmPins('authorizer-failures', 'authorizerFailures', 5, 'Sum'),
  ...alarmPins('authorizer-throttles', 'Throttles', 0, 'Sum'),
  ...alarmPins('table-throttles', 'tableThrottles', 50, 'Sum'),
  ...alarmPins('retried-conflicts', 'conflictsRetried', 500, 'Sum'),
  ...alarmPins('access-denials', 'accessDenials', 0, 'Sum'),
  ...alarmPins('password-failures', 'passwordFailures', 100, 'Sum'),
  ...alarmPins('sweeper-failures', 'ApproximateNumberOfMessagesVisible', 0),
  { promise: 'each alarm tells the topic', type: alarm, path: 'Properties.AlarmActions', rule: isTold },
  {
    promise: 'silence is no alarm',
    type: alarm,
    path: 'Properties.TreatMissingData',
    expected: 'notBreaching',
  },
  {
    promise: 'the functions are watched where they count',
    type: alarm,
    of: ({ Properties }) => /-(?:password-failures|access-denials)$/.test(String(Properties?.AlarmName)),
    count: 2,
    path: `${stat}.Metric.Namespace`,
    expected: name,
  },
  {
    promise: 'failures of the authorizer are found in the access log',
    type: 'AWS::Logs::MetricFilter',
    count: 1,
    path: 'Properties.FilterPattern',
    expected: '{ ($.errorType = "AUTHORIZER_FAILURE") || ($.errorType = "AUTHORIZER_CONFIGURATION_ERROR") }',
  },
  ...(email === undefined
    ? [{ promise: 'no one is written to', type: 'AWS::SNS::Subscription', count: 0 }]
    : [
        {
          promise: 'alarms are written to the address',
          type: 'AWS::SNS::Subscription',
          count: 1,
          path: 'Properties.Endpoint',
          expected: email,
        },
      ]),
  {
    promise: 'alarms travel encrypted',
    type: 'AWS::SNS::TopicPolicy',
    count: 1,
    path: 'Properties.PolicyDocument.Statement.0.Condition',
    expected: { Bool: { 'aws:SecureTransport': 'false' } },
  },
  {
    promise: 'there is one dashboard',
    type: 'AWS::CloudWatch::Dashboard',
    count: 1,
    path: 'Properties.DashboardName',
    expected: name,
  },
  {
    promise: 'sweeps run every hour',
    type: 'AWS::Events::Rule',
    count: 1,
    path: 'Properties.ScheduleExpression',
    expected: 'rate(1 hour)',
  },
  { promise: 'the schedule is on', type: 'AWS::Events::Rule', path: 'Properties.State', expected: 'ENABLED' },
  {
    promise: 'a sweep that cannot be started is kept',
    type: 'AWS::Events::Rule',
    path: 'Properties.Targets.0.DeadLetterConfig.Arn.Fn::GetAtt.0',
    rule: (id) => /^SweepingFailures[0-9A-F]{8}$/.test(String(id)),
  },
  {
    promise: 'a sweep that fails is tried twice more',
    type: 'AWS::Lambda::EventInvokeConfig',
    count: 1,
    path: 'Properties.MaximumRetryAttempts',
    expected: 2,
  },
  {
    promise: 'and then kept',
    type: 'AWS::Lambda::EventInvokeConfig',
    path: 'Properties.DestinationConfig.OnFailure.Destination.Fn::GetAtt.0',
    rule: (id) => /^SweepingFailures[0-9A-F]{8}$/.test(String(id)),
  },
  {
    promise: 'for two weeks',
    type: queue,
    of: ({ Properties }) => Properties !== undefined,
    path: 'Properties.MessageRetentionPeriod',
    expected: 1_209_600,
  },
  {
    promise: 'queues are reached over TLS alone',
    type: 'AWS::SQS::QueuePolicy',
    path: 'Properties.PolicyDocument.Statement.0.Condition',
    expected: { Bool: { 'aws:SecureTransport': 'false' } },
  },
];
