import { Match } from 'aws-cdk-lib/assertions';
import { about, exactly, named, type Pin } from './pin.ts';
import { overTlsAlone } from './pins-watching.ts';

const stream = { 'Fn::GetAtt': [named('Table'), 'StreamArn'] };
const bus = { 'Fn::GetAtt': [named('EventsBus'), 'Arn'] };
const queue = { 'Fn::GetAtt': [named('EventsFailures'), 'Arn'] };

/** Written by hand, so that a change of the pattern or of the events is seen here. */
const newRecords = '{"eventName":["INSERT"],"dynamodb":{"Keys":{"pk":{"S":[{"prefix":"AUDIT#"}]}}}}';
const detail = [
  '{"version": "1"',
  '"recordId": <$.dynamodb.NewImage.recordId.S>',
  '"recordedAt": <$.dynamodb.NewImage.recordedAt.S>',
  '"action": <$.dynamodb.NewImage.action.S>',
  '"operation": <$.dynamodb.NewImage.operation.S>',
  '"requestId": <$.dynamodb.NewImage.requestId.S>',
  '"sourceAddress": <$.dynamodb.NewImage.sourceAddress.S>',
  '"actor": {"kind": <$.dynamodb.NewImage.actor.M.kind.S>',
  '"id": <$.dynamodb.NewImage.actor.M.id.S>',
  '"name": <$.dynamodb.NewImage.actor.M.name.S>',
  '"tokenId": <$.dynamodb.NewImage.actor.M.tokenId.S>}',
  '"workspaceId": <$.dynamodb.NewImage.workspaceId.S>',
  '"repositoryId": <$.dynamodb.NewImage.repositoryId.S>',
  '"repositoryName": <$.dynamodb.NewImage.repositoryName.S>',
  '"target": {"id": <$.dynamodb.NewImage.target.M.id.S>',
  '"name": <$.dynamodb.NewImage.target.M.name.S>}',
  '"concerns": <$.dynamodb.NewImage.concerns.SS>',
  '"before": <$.dynamodb.NewImage.before.S>',
  '"after": <$.dynamodb.NewImage.after.S>}',
].join(', ');

/** How the records of changes become events. */
export const eventPins = (name: string): readonly Pin[] => [
  ...about('AWS::Events::EventBus', { 'events have a bus of their own': [1, { Name: name }] }),
  ...about('AWS::Pipes::Pipe', {
    'new records go from the stream of the table to the bus, and nothing else': [
      1,
      {
        RoleArn: { 'Fn::GetAtt': [named('EventsRole'), 'Arn'] },
        Source: stream,
        SourceParameters: {
          FilterCriteria: { Filters: [{ Pattern: newRecords }] },
          DynamoDBStreamParameters: exactly({
            StartingPosition: 'TRIM_HORIZON',
            BatchSize: 10,
            MaximumRecordAgeInSeconds: 86_400,
            OnPartialBatchItemFailure: 'AUTOMATIC_BISECT',
            DeadLetterConfig: { Arn: queue },
          }),
        },
        Target: bus,
        TargetParameters: {
          InputTemplate: detail,
          EventBridgeEventBusParameters: { Source: 'stockroom', DetailType: 'Stockroom Change' },
        },
      },
    ],
  }),
  ...about(
    [
      'AWS::IAM::Role',
      { AssumeRolePolicyDocument: { Statement: [{ Principal: { Service: 'pipes.amazonaws.com' } }] } },
    ],
    {
      'the pipe reads the stream, writes to the bus and leaves notes in its queue': [
        1,
        {
          AssumeRolePolicyDocument: {
            Statement: [
              exactly({
                Action: 'sts:AssumeRole',
                Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
                Effect: 'Allow',
                Principal: { Service: 'pipes.amazonaws.com' },
              }),
            ],
          },
          Policies: [
            {
              PolicyDocument: {
                Statement: [
                  exactly({
                    Action: [
                      'dynamodb:DescribeStream',
                      'dynamodb:GetRecords',
                      'dynamodb:GetShardIterator',
                      'dynamodb:ListStreams',
                    ],
                    Effect: 'Allow',
                    Resource: stream,
                  }),
                  exactly({ Action: 'events:PutEvents', Effect: 'Allow', Resource: bus }),
                  exactly({ Action: 'sqs:SendMessage', Effect: 'Allow', Resource: queue }),
                ],
              },
            },
          ],
          ManagedPolicyArns: Match.absent(),
        },
      ],
    },
  ),
  ...about(['AWS::SQS::QueuePolicy', { Queues: [{ Ref: named('EventsFailures') }] }], {
    'its queue is reached over TLS alone, and no other service writes to it': [
      1,
      {
        PolicyDocument: {
          Statement: [{ Effect: 'Deny', Action: 'sqs:*', Principal: { AWS: '*' }, Condition: exactly(overTlsAlone) }],
        },
      },
    ],
  }),
];
