import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { environment } from '../../shared/config.ts';
import { type FunctionDefaults, StockroomFunction } from '../api/function.ts';
import { type Store, storeStatements } from '../store.ts';
import { type StockroomTable, tableStatement } from '../table.ts';

export interface SweeperProps {
  readonly table: StockroomTable;
  readonly store: Store;
  readonly defaults: FunctionDefaults;
}

/** The job that removes what deleted workspaces, repositories and packages leave behind. After a run that was cut off, the next one continues. */
export class Sweeper extends Construct {
  readonly sweeper: IFunction;
  /** The runs that failed three times. */
  readonly failures: Queue;

  constructor(scope: Construct, id: string, { table, store, defaults }: SweeperProps) {
    super(scope, id);
    this.failures = new Queue(this, 'Failures', {
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const retryAttempts = 2;
    this.sweeper = new StockroomFunction(this, 'Sweeper', {
      functionId: 'sweeper',
      description: 'Removes what deletions left behind',
      environment: { [environment.tableName]: table.tableName, [environment.storeBucket]: store.bucketName },
      statements: [
        tableStatement(table, ['BatchGetItem', 'ConditionCheckItem', 'DeleteItem', 'PutItem', 'Query', 'UpdateItem']),
        ...storeStatements(store, ['GetObject blobs/*', 'DeleteObject blobs/*']),
        new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [this.failures.queueArn] }),
      ],
      defaults,
      overrides: {
        timeout: Duration.minutes(5),
        retryAttempts,
        onFailure: new SqsDestination(this.failures),
      },
    }).lambda;
    new Rule(this, 'Schedule', {
      description: 'Sweeps what deletions left behind',
      enabled: !defaults.readOnly,
      schedule: Schedule.rate(Duration.hours(1)),
      targets: [new LambdaFunction(this.sweeper, { deadLetterQueue: this.failures, retryAttempts })],
    });
  }
}
