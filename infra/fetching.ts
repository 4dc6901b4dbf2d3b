import { Duration } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { environment } from '../shared/config.ts';
import { type FunctionDefaults, StockroomFunction } from './function.ts';
import type { Settings } from './settings.ts';
import { type Store, storeStatements } from './store.ts';
import { type StockroomTable, tableStatement } from './table.ts';
import type { UpstreamKey } from './upstream-key.ts';

/** What an upstream may take for one answer: the gateway waits 29 seconds, and to store the answer comes after it. */
const answerTime = Duration.seconds(20);

/** What a function needs that asks upstreams. */
export const upstreamVariables = ({ allowedPrivateUpstreams }: Settings, upstreamKey: UpstreamKey) => ({
  [environment.upstreamKeyId]: upstreamKey.keyArn,
  [environment.upstreamAnswerMilliseconds]: `${answerTime.toMilliseconds()}`,
  [environment.allowedPrivateUpstreams]: allowedPrivateUpstreams.join(','),
});

export interface FetchingProps {
  readonly settings: Settings;
  readonly defaults: FunctionDefaults;
  readonly table: StockroomTable;
  readonly store: Store;
  readonly upstreamKey: UpstreamKey;
}

/**
 * The function that goes on with fetches for which a request has no time. An event that fails is not tried again and is kept
 * nowhere: the table says that it failed to those who wait for the file, and whoever asks for the file next begins anew.
 */
export class Fetching extends Construct {
  readonly fetcher: IFunction;

  constructor(scope: Construct, id: string, { settings, defaults, table, store, upstreamKey }: FetchingProps) {
    super(scope, id);
    this.fetcher = new StockroomFunction(this, 'Fetcher', {
      functionId: 'fetcher',
      description: 'Fetches files that take longer than a request',
      environment: {
        [environment.tableName]: table.tableName,
        [environment.storeBucket]: store.bucketName,
        ...upstreamVariables(settings, upstreamKey),
      },
      statements: [
        tableStatement(table, ['BatchGetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem']),
        ...storeStatements(store, [
          'PutObject blobs/*',
          'GetObject staging/*',
          'PutObject staging/*',
          'AbortMultipartUpload staging/*',
          'AbortMultipartUpload blobs/*',
        ]),
        upstreamKey.decryptStatement(),
      ],
      defaults,
      settings: {
        timeout: Duration.minutes(15),
        retryAttempts: 0,
        // A client waits two minutes at most: whoever comes later begins anew.
        maxEventAge: Duration.minutes(2),
        // So slow upstreams cannot use up the account's concurrency for the other functions.
        reservedConcurrentExecutions: settings.fetcherConcurrency ?? undefined,
      },
    }).lambda;
  }

  /** Allows to hand fetches over. */
  invokeStatement(): PolicyStatement {
    return new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [this.fetcher.functionArn] });
  }
}
