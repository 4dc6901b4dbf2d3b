import { Duration, NestedStack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import {
  doorEnvironment,
  downloadLogsVariable,
  environment,
  publicUrlVariable,
  signingKeysVariable,
  trustsEdgeVariable,
} from '../../shared/config.ts';
import type { Contract } from '../../shared/http/contract.ts';
import type { InvokedFunction } from '../../shared/http/function-rights.ts';
import type { DoorKey } from '../edge/door-key.ts';
import type { Importer } from '../operation/importer.ts';
import type { Verifier } from '../operation/verifier.ts';
import { grantedTo } from '../released-rights.ts';
import { hasEdge, type Settings } from '../settings.ts';
import { type Store, storeStatements } from '../store.ts';
import { recordsStatement, type StockroomTable, tableStatement } from '../table.ts';
import { DownloadLogs } from './download-logs.ts';
import { type Fetcher, upstreamVariables } from './fetcher.ts';
import { type FunctionDefaults, StockroomFunction } from './function.ts';
import { releaseInGroups } from './release-groups.ts';
import type { Releases } from './releases.ts';
import { authorizerRights, receives, rightsIn } from './rights.ts';
import type { SigningKeys } from './signing-keys.ts';
import type { UpstreamKey } from './upstream-key.ts';

export interface FunctionsProps {
  readonly endpoints: readonly Contract[];
  readonly settings: Settings;
  readonly defaults: FunctionDefaults;
  readonly table: StockroomTable;
  readonly store: Store;
  readonly upstreamKey: UpstreamKey;
  readonly signingKeys: SigningKeys;
  readonly fetcher: Fetcher;
  readonly verifier: Verifier;
  readonly importer: Importer;
  readonly releases: Releases;
  /** Where the stage has a door. */
  readonly doorKey: DoorKey | undefined;
}

/** An endpoint and the function behind it. */
export interface EndpointFunction {
  readonly endpoint: Contract;
  readonly lambda: IFunction;
}

/** Maximum number of functions in a nested stack: CloudFormation allows 500 resources in it; a function has six. */
const functionsPerStackMax = 60;

/** The functions that API Gateway calls: the authorizer, and one per endpoint in a nested stack per resource folder. */
export class Functions extends Construct {
  readonly authorizer: IFunction;
  readonly ofEndpoints: readonly EndpointFunction[];
  readonly downloadLogs = new DownloadLogs();
  private readonly stacks = new Map<string, NestedStack>();
  private readonly gradual = new Map<NestedStack, number>();

  constructor(scope: Construct, id: string, props: FunctionsProps) {
    super(scope, id);
    const { endpoints, settings, defaults, table, releases } = props;
    // So a flood of wrong credentials cannot use up the account's concurrency for the other functions.
    const provingConcurrency = { reservedConcurrentExecutions: settings.authorizerConcurrency ?? undefined };
    // So those who wait for slow upstreams cannot either.
    const askingConcurrency = { reservedConcurrentExecutions: settings.upstreamConcurrency ?? undefined };
    const authorizer = new StockroomFunction(this, 'Authorizer', {
      functionId: 'authorizer',
      description: 'Proves who calls',
      environment: { [environment.tableName]: table.tableName, ...edgeVariables(settings) },
      statements: [tableStatement(table, grantedTo('authorizer', authorizerRights).table)],
      defaults,
      overrides: provingConcurrency,
    });
    this.authorizer = authorizer.lambda;
    releases.aliasOfAuthorizer(authorizer.lambda);

    const counts = new Map<string, number>();
    this.ofEndpoints = endpoints.map((endpoint) => {
      const [folder = '', name = ''] = endpoint.id.split('/');
      const count = counts.get(folder) ?? 0;
      counts.set(folder, count + 1);
      const stack = this.stackOf(folder, count);
      const { lambda, logGroup } = new StockroomFunction(stack, pascalCase(name), {
        functionId: endpoint.id,
        description: endpoint.summary,
        ...needsOf(endpoint, props, this.downloadLogs),
        defaults,
        overrides: {
          // An upstream may take its time, and so may S3 with a large body: up to what API Gateway waits.
          ...((endpoint.decrypts || endpoint.isLong || receives(endpoint, settings)) && {
            timeout: Duration.seconds(29),
          }),
          ...(endpoint.decrypts && askingConcurrency),
          ...((endpoint.authenticates || endpoint.checksPasswords) && provingConcurrency),
        },
      });
      this.downloadLogs.addEndpoint(endpoint, logGroup);
      releases.aliasOf(lambda, endpoint.isHot === true);
      if (endpoint.isHot) this.gradual.set(stack, (this.gradual.get(stack) ?? 0) + 1);
      return { endpoint, lambda };
    });
    if (settings.canary) releaseInGroups(Array.from(this.gradual, ([stack, aliases]) => ({ stack, aliases })));
  }

  private stackOf(folder: string, position: number): NestedStack {
    const number = Math.floor(position / functionsPerStackMax);
    const name = `${pascalCase(folder)}${number === 0 ? '' : number + 1}`;
    const stack = this.stacks.get(name) ?? new NestedStack(this, name);
    this.stacks.set(name, stack);
    return stack;
  }
}

/** The functions that endpoints invoke, and the variables that name them. */
const invocable = ({ fetcher, verifier, importer }: FunctionsProps) =>
  ({
    fetcher: { variable: environment.fetcherFunction, lambda: fetcher.fetcher },
    verifier: { variable: environment.verifierFunction, lambda: verifier.verifier },
    importer: { variable: environment.importerFunction, lambda: importer.importer },
  }) satisfies Record<InvokedFunction, unknown>;

/** The environment variables and the permissions of an endpoint, kept together because one needs the other. */
const needsOf = (endpoint: Contract, props: FunctionsProps, downloadLogs: DownloadLogs) => {
  const { settings, table, store, upstreamKey, signingKeys } = props;
  const { table: tableActions, store: rights, ...needs } = grantedTo(endpoint.id, rightsIn(endpoint, settings));
  const doorKey = receives(endpoint, settings) ? props.doorKey : undefined;
  const { encrypts, decrypts, signs } = needs;
  const invoked = needs.invokes.map((id) => invocable(props)[id]);
  return {
    environment: {
      ...(tableActions.length > 0 && { [environment.tableName]: table.tableName }),
      ...((rights.length > 0 || endpoint.store) && { [environment.storeBucket]: store.bucketName }),
      ...(encrypts && { [environment.upstreamKeyId]: upstreamKey.keyArn }),
      ...(decrypts && upstreamVariables(upstreamKey)),
      ...(signs && { [signingKeysVariable]: signingKeys.inWords }),
      ...(endpoint.readsDownloads && { [downloadLogsVariable]: downloadLogs.inWords() }),
      ...Object.fromEntries(invoked.map(({ variable, lambda }) => [variable, lambda.functionName])),
      ...(doorKey && { [doorEnvironment.doorKeyId]: doorKey.keyArn }),
      ...edgeVariables(settings),
      [environment.installation]: table.tableName,
      [environment.allowedPrivateUpstreams]: settings.allowedPrivateUpstreams.join(','),
      [environment.unusedTokenDays]: `${settings.unusedTokenDays}`,
      [environment.maxBatchRepositories]: `${settings.batchRepositoriesMax}`,
      [environment.echoUpstreamPassword]: `${settings.echoUpstreamPassword}`,
    },
    statements: [
      ...(tableActions.length > 0 ? [tableStatement(table, tableActions)] : []),
      ...(tableActions.includes('Query records') ? [recordsStatement(table)] : []),
      ...storeStatements(store, rights),
      ...(encrypts ? [upstreamKey.encryptStatement()] : []),
      ...(decrypts ? [upstreamKey.decryptStatement()] : []),
      ...(signs ? [signingKeys.signStatement()] : []),
      ...(doorKey ? [doorKey.verifyStatement()] : []),
      ...(endpoint.readsDownloads ? [downloadLogs.searchStatement()] : []),
      ...invoked.map(({ lambda }) => invokeStatement(lambda)),
    ] satisfies PolicyStatement[],
  };
};

/** Behind CloudFront, the host name that API Gateway sees is its own, and the address that of CloudFront. */
const edgeVariables = ({ uploads, domain, firewall }: Settings): Readonly<Record<string, string>> =>
  hasEdge(uploads) && domain
    ? {
        [publicUrlVariable]: `https://${domain.name}`,
        // Only the firewall refuses whoever is not CloudFront.
        ...(firewall.enabled && { [trustsEdgeVariable]: 'true' }),
      }
    : {};

const pascalCase = (kebab: string): string =>
  kebab
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/** The right to invoke a function. */
const invokeStatement = ({ functionArn }: IFunction): PolicyStatement =>
  new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [functionArn] });
