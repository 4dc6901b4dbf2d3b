import { Duration } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { advisoriesUrlVariable, environment } from '../../shared/config.ts';
import { type FunctionDefaults, StockroomFunction } from '../api/function.ts';
import type { Settings } from '../settings.ts';
import { type Store, storeStatements } from '../store.ts';
import { type StockroomTable, tableStatement } from '../table.ts';

export interface ImporterProps {
  readonly settings: Settings;
  readonly defaults: FunctionDefaults;
  readonly table: StockroomTable;
  readonly store: Store;
}

/**
 * The function that imports advisories. Lambda repeats a failed event twice, and each run goes on where the one before ended; so does the
 * next look at the import, as soon as nobody is at it.
 */
export class Importer extends Construct {
  readonly importer: IFunction;

  constructor(scope: Construct, id: string, { settings, defaults, table, store }: ImporterProps) {
    super(scope, id);
    this.importer = new StockroomFunction(this, 'Importer', {
      functionId: 'importer',
      description: 'Imports advisories from an archive, or from osv.dev',
      environment: {
        [environment.tableName]: table.tableName,
        [environment.storeBucket]: store.bucketName,
        [advisoriesUrlVariable]: settings.advisories.url,
        [environment.allowedPrivateUpstreams]: settings.allowedPrivateUpstreams.join(','),
      },
      statements: [
        tableStatement(table, ['BatchGetItem', 'ConditionCheckItem', 'DeleteItem', 'PutItem', 'Query', 'UpdateItem']),
        ...storeStatements(store, ['GetObject staging/*', 'PutObject staging/*', 'AbortMultipartUpload staging/*']),
      ],
      defaults,
      overrides: {
        timeout: Duration.minutes(15),
        // A whole processor: it unpacks and parses hundreds of thousands of entries.
        memorySize: 1_769,
      },
    }).lambda;
    for (const packageType of new Set(settings.advisories.hourly))
      new Rule(this, `Hourly-${packageType}`, {
        description: `Brings the advisories on ${packageType} up to date`,
        enabled: !defaults.readOnly,
        schedule: Schedule.rate(Duration.hours(1)),
        // The next hour repeats what failed, and the alarm counts what Lambda gave up.
        targets: [new LambdaFunction(this.importer, { event: RuleTargetInput.fromObject({ packageType }) })],
      });
  }
}
