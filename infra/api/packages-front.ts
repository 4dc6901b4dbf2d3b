import { Duration, Fn } from 'aws-cdk-lib';
import type { CfnStage } from 'aws-cdk-lib/aws-apigateway';
import { type Alias, type FunctionUrl, FunctionUrlAuthType, type IFunction, Tracing } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import {
  credentialHeaderVariable,
  doorEnvironment,
  downloadKeyVariable,
  environment,
  publicUrlVariable,
  signingKeysVariable,
} from '../../shared/config.ts';
import { credentialHeader } from '../../shared/edge.ts';
import type { StoreRight, TableAction } from '../../shared/http/function-rights.ts';
import { frontUrlVariable } from '../../shared/http/request-address.ts';
import type { DownloadKeys } from '../edge/download-keys.ts';
import type { Settings } from '../settings.ts';
import { type Store, storeStatements } from '../store.ts';
import { type StockroomTable, tableStatement } from '../table.ts';
import type { Api } from './api.ts';
import type { DownloadLogs } from './download-logs.ts';
import { answerTime } from './fetcher.ts';
import { type FunctionDefaults, StockroomFunction } from './function.ts';
import { frontId } from './function-metadata.ts';
import type { Releases } from './releases.ts';
import type { SigningKeys } from './signing-keys.ts';

/** The front reads, and nothing else. */
export const frontRights: { readonly table: readonly TableAction[]; readonly store: readonly StoreRight[] } = {
  table: ['BatchGetItem', 'Query'],
  store: ['GetObject blobs/*', 'GetObject staging/rendered/*'],
};

/** It may wait for what another request fetches, and then let the API answer, which takes 29 seconds. */
const timeout = Duration.seconds(60);

export interface PackagesFrontProps {
  readonly settings: Settings;
  readonly defaults: FunctionDefaults;
  readonly table: StockroomTable;
  readonly store: Store;
  readonly signingKeys: SigningKeys;
  readonly releases: Releases;
  readonly api: Api;
  readonly downloadLogs: DownloadLogs;
  /** The URL that clients know the API by. */
  readonly baseUrl: string;
  /** Where CloudFront is before the front: it alone may call the front then, and serves files under a signature of these keys. */
  readonly keys?: DownloadKeys | undefined;
}

/**
 * The second front: a function at a URL of its own, or behind CloudFront, which answers reads of packages and passes everything else on
 * to the API.
 */
export class PackagesFront extends Construct {
  readonly lambda: IFunction;
  /** What is called, and where: by clients, or by CloudFront. */
  readonly alias: Alias;
  readonly functionUrl: FunctionUrl;
  /** The base URL of requests, without a trailing slash. */
  readonly url: string;

  constructor(scope: Construct, id: string, props: PackagesFrontProps) {
    super(scope, id);
    const { settings, defaults, table, store, signingKeys, releases, api, baseUrl, downloadLogs, keys } = props;
    const { lambda, logGroup } = new StockroomFunction(this, 'Reads', {
      functionId: frontId,
      description: 'Answers reads of packages at a URL of its own',
      environment: {
        [environment.tableName]: table.tableName,
        [environment.storeBucket]: store.bucketName,
        [environment.installation]: table.tableName,
        [environment.upstreamAnswerMilliseconds]: `${answerTime.toMilliseconds()}`,
        // CloudFront would let it wait for itself.
        [doorEnvironment.apiUrl]: keys ? api.baseUrl : baseUrl,
        ...(keys && {
          [credentialHeaderVariable]: credentialHeader,
          [downloadKeyVariable]: keys.signing,
          [publicUrlVariable]: baseUrl,
        }),
        // It signs nothing, and knows by their names whether what is stored has the signatures of these keys.
        [signingKeysVariable]: signingKeys.inWords,
      },
      statements: [
        tableStatement(table, frontRights.table),
        ...storeStatements(store, frontRights.store),
        ...(keys ? [keys.readStatement()] : []),
      ],
      defaults,
      overrides: {
        timeout,
        // Without API Gateway before it, nothing samples: Lambda itself would trace one request in twenty.
        tracing: Tracing.PASS_THROUGH,
        reservedConcurrentExecutions: settings.readsConcurrency ?? undefined,
      },
    });
    this.lambda = lambda;
    downloadLogs.addFront(logGroup);
    const authType = keys ? FunctionUrlAuthType.AWS_IAM : FunctionUrlAuthType.NONE;
    this.alias = releases.aliasOfFront(lambda);
    this.functionUrl = this.alias.addFunctionUrl({ authType });
    this.url = keys ? baseUrl : `https://${Fn.select(2, Fn.split('/', this.functionUrl.url))}`;
    if (keys) return;
    // The functions of the API cannot refer to what refers to the API, but its stage can.
    (api.restApi.deploymentStage.node.defaultChild as CfnStage).variables = { [frontUrlVariable]: this.url };
  }
}
