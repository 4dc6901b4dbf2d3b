import { Aws, Duration, RemovalPolicy } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnPipe } from 'aws-cdk-lib/aws-pipes';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { StockroomTable } from '../table.ts';
import { eventDetailType, eventPattern, eventSource, eventTemplate } from './event-shape.ts';

/**
 * The records of changes as events on a bus: the stream of the table brings every write, and a pipe lets only new records
 * through. An event that cannot be delivered for a day leaves a note in the queue; its record stays in the table.
 */
export class Events extends Construct {
  readonly bus: EventBus;
  readonly pipeName: string;
  /** The events that could not be delivered. */
  readonly failures: Queue;

  constructor(
    scope: Construct,
    id: string,
    { name, table }: { readonly name: string; readonly table: StockroomTable },
  ) {
    super(scope, id);
    this.bus = new EventBus(this, 'Bus', { eventBusName: name, description: 'Changes that Stockroom has recorded' });
    this.failures = new Queue(this, 'Failures', {
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const stream = table.streamArn;
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('pipes.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
      inlinePolicies: {
        pipe: new PolicyDocument({
          statements: [
            new PolicyStatement({
              actions: ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map(
                (action) => `dynamodb:${action}`,
              ),
              resources: [stream],
            }),
            new PolicyStatement({ actions: ['events:PutEvents'], resources: [this.bus.eventBusArn] }),
            new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [this.failures.queueArn] }),
          ],
        }),
      },
    });
    const pipe = new CfnPipe(this, 'Pipe', {
      description: 'New records of changes become events',
      roleArn: role.roleArn,
      source: stream,
      sourceParameters: {
        dynamoDbStreamParameters: {
          startingPosition: 'TRIM_HORIZON',
          batchSize: 10,
          maximumRecordAgeInSeconds: Duration.days(1).toSeconds(),
          onPartialBatchItemFailure: 'AUTOMATIC_BISECT',
          deadLetterConfig: { arn: this.failures.queueArn },
        },
        filterCriteria: { filters: [{ pattern: JSON.stringify(eventPattern) }] },
      },
      target: this.bus.eventBusArn,
      targetParameters: {
        inputTemplate: eventTemplate,
        eventBridgeEventBusParameters: { source: eventSource, detailType: eventDetailType },
      },
    });
    this.pipeName = pipe.ref;
  }
}
