import { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { environment } from '../../shared/config.ts';
import type { Settings } from '../settings.ts';
import { type Store, storeStatements } from '../store.ts';
import { type StockroomTable, tableStatement } from '../table.ts';
import { type FunctionDefaults, StockroomFunction } from './function.ts';
import type { UpstreamKey } from './upstream-key.ts';

/** The maximum time for one answer of an upstream. API Gateway waits 29 seconds, and the function still has to store the answer. */
export const answerTime = Duration.seconds(20);

/** The environment variables of a function that sends requests to upstreams. */
export const upstreamVariables = (upstreamKey: UpstreamKey) => ({
  [environment.upstreamKeyId]: upstreamKey.keyArn,
  [environment.upstreamAnswerMilliseconds]: `${answerTime.toMilliseconds()}`,
});

export interface FetcherProps {
  readonly settings: Settings;
  readonly defaults: FunctionDefaults;
  readonly table: StockroomTable;
  readonly store: Store;
  readonly upstreamKey: UpstreamKey;
}

/**
 * The function that continues fetches that take longer than a request. A failed event is not repeated and not kept: the table
 * has the failure for the clients that wait for the file, and the next request for the file begins a new fetch.
 */
export class Fetcher extends Construct {
  readonly fetcher: IFunction;

  constructor(scope: Construct, id: string, { settings, defaults, table, store, upstreamKey }: FetcherProps) {
    super(scope, id);
    this.fetcher = new StockroomFunction(this, 'Fetcher', {
      functionId: 'fetcher',
      description: 'Fetches what takes longer than a request',
      environment: {
        [environment.tableName]: table.tableName,
        [environment.storeBucket]: store.bucketName,
        // Its physical name has a part that CloudFormation draws at random.
        [environment.installation]: table.tableName,
        ...upstreamVariables(upstreamKey),
        [environment.allowedPrivateUpstreams]: settings.allowedPrivateUpstreams.join(','),
      },
      statements: [
        tableStatement(table, ['BatchGetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem']),
        ...storeStatements(store, [
          'PutObject blobs/*',
          'GetObject blobs/*',
          'GetObject staging/*',
          'PutObject staging/*',
          'AbortMultipartUpload staging/*',
          'AbortMultipartUpload blobs/*',
        ]),
        upstreamKey.decryptStatement(),
      ],
      defaults,
      overrides: {
        timeout: Duration.minutes(15),
        retryAttempts: 0,
        // A client waits at most two minutes. A later request begins a new fetch.
        maxEventAge: Duration.minutes(2),
        // Without a limit, slow upstreams could use all concurrency of the account.
        reservedConcurrentExecutions: settings.fetcherConcurrency ?? undefined,
      },
    }).lambda;
  }
}
