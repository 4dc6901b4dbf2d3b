import { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { environment } from '../../shared/config.ts';
import { type FunctionDefaults, StockroomFunction } from '../api/function.ts';
import { type Store, storeStatements } from '../store.ts';
import { type StockroomTable, tableStatement } from '../table.ts';

export interface ImporterProps {
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

  constructor(scope: Construct, id: string, { defaults, table, store }: ImporterProps) {
    super(scope, id);
    this.importer = new StockroomFunction(this, 'Importer', {
      functionId: 'importer',
      description: 'Imports advisories from an archive',
      environment: { [environment.tableName]: table.tableName, [environment.storeBucket]: store.bucketName },
      statements: [
        tableStatement(table, ['BatchGetItem', 'ConditionCheckItem', 'DeleteItem', 'PutItem', 'Query', 'UpdateItem']),
        ...storeStatements(store, ['GetObject staging/*']),
      ],
      defaults,
      settings: {
        timeout: Duration.minutes(15),
        // A whole processor: it unpacks and parses hundreds of thousands of entries.
        memorySize: 1_769,
      },
    }).lambda;
  }
}
