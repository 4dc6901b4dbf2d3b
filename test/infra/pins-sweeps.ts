import { Match } from 'aws-cdk-lib/assertions';
import { about, exactly, named, type Pin } from './pin.ts';
import { overTlsAlone } from './pins-watching.ts';

const failedSweeps = { 'Fn::GetAtt': [named('SweepingFailures'), 'Arn'] };

/** The sweeping job, and what else runs on events. */
export const sweepPins: readonly Pin[] = [
  ...about('AWS::Events::Rule', {
    'sweeps run every hour': [1, { ScheduleExpression: 'rate(1 hour)' }],
    'the schedule is on': { State: 'ENABLED' },
    'a sweep that cannot be started is kept': { Targets: [{ DeadLetterConfig: { Arn: failedSweeps } }] },
  }),
  ...about('AWS::Lambda::EventInvokeConfig', { 'sweeps, long fetches and verifications run on events': 3 }),
  ...about(['AWS::Lambda::EventInvokeConfig', { MaximumRetryAttempts: 2 }], {
    'a sweep that fails is tried twice more, and then kept': [
      1,
      { DestinationConfig: { OnFailure: { Destination: failedSweeps } } },
    ],
  }),
  ...about(['AWS::Lambda::EventInvokeConfig', { MaximumRetryAttempts: 0 }], {
    'a long fetch or a verification that fails is not tried again': [2, { DestinationConfig: Match.absent() }],
  }),
  ...about(['AWS::Lambda::EventInvokeConfig', { FunctionName: { Ref: named('FetchingFetcherFunction') } }], {
    'nor is a long fetch that is not begun in two minutes': [1, { MaximumEventAgeInSeconds: 120 }],
  }),
  ...about(['AWS::Lambda::EventInvokeConfig', { FunctionName: { Ref: named('VerifyingVerifierFunction') } }], {
    'nor a verification that is not begun in one': [1, { MaximumEventAgeInSeconds: 60 }],
  }),
  ...about('AWS::SQS::Queue', { 'for two weeks': { MessageRetentionPeriod: 1_209_600 } }),
  ...about(['AWS::SQS::QueuePolicy', { Queues: [{ Ref: Match.stringLikeRegexp('^(?:Sweeping|Monitoring)') }] }], {
    'queues are reached over TLS alone': {
      PolicyDocument: {
        Statement: [
          { Effect: 'Deny', Action: 'sqs:*', Principal: { AWS: '*' }, Condition: exactly(overTlsAlone) },
          Match.anyValue(),
        ],
      },
    },
  }),
];
