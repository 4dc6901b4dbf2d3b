import { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { environment } from '../../shared/config.ts';
import { type FunctionDefaults, StockroomFunction } from '../api/function.ts';
import { type Store, storeStatements } from '../store.ts';
import { type StockroomTable, tableStatement } from '../table.ts';

export interface VerifierProps {
  readonly defaults: FunctionDefaults;
  readonly table: StockroomTable;
  readonly store: Store;
}

/**
 * The function that verifies what was uploaded in parts. A failed event is not repeated and not kept: the next request of the
 * client begins a new run, which continues where the last one ended.
 */
export class Verifier extends Construct {
  readonly verifier: IFunction;

  constructor(scope: Construct, id: string, { defaults, table, store }: VerifierProps) {
    super(scope, id);
    this.verifier = new StockroomFunction(this, 'Verifier', {
      functionId: 'verifier',
      description: 'Verifies files that were uploaded in parts',
      environment: { [environment.tableName]: table.tableName, [environment.storeBucket]: store.bucketName },
      statements: [
        tableStatement(table, ['BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem']),
        ...storeStatements(store, [
          'GetObject staging/*',
          'PutObject staging/*',
          'DeleteObject staging/*',
          'ListMultipartUploadParts staging/*',
          'GetObject blobs/*',
          'PutObject blobs/*',
          'AbortMultipartUpload blobs/*',
          'ListMultipartUploadParts blobs/*',
        ]),
      ],
      defaults,
      overrides: {
        timeout: Duration.minutes(15),
        // A whole processor: the hash is computed as fast as S3 sends.
        memorySize: 1_769,
        retryAttempts: 0,
        // The lease that the request took ends after 30 seconds, and the next request then begins another run.
        maxEventAge: Duration.minutes(1),
      },
    }).lambda;
  }
}
