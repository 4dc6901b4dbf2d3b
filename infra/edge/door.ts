import { Construct } from 'constructs';
import { doorEnvironment, environment, publicUrlVariable } from '../../shared/config.ts';
import type { StoreRight } from '../../shared/http/function-rights.ts';
import type { Api } from '../api/api.ts';
import type { FunctionDefaults } from '../api/function.ts';
import { doorFunctionId } from '../api/function-metadata.ts';
import { StockroomLog } from '../api/log.ts';
import { hasEdge, type Settings } from '../settings.ts';
import { type Store, storeStatements } from '../store.ts';
import type { StockroomTable } from '../table.ts';
import type { DoorKey } from './door-key.ts';
import { DoorRole } from './door-role.ts';
import { Edge } from './edge.ts';
import type { EdgeReadsProps } from './edge-reads.ts';
import { EdgeReads } from './edge-reads.ts';
import { EdgeSecret } from './edge-secret.ts';
import { FargateHost } from './fargate-host.ts';
import { WebFunctionHost } from './web-function-host.ts';

/** The door writes what it receives, and takes back what nothing refers to. */
const doorRights: readonly StoreRight[] = [
  'PutObject staging/*',
  'AbortMultipartUpload staging/*',
  'DeleteObject staging/*',
  // Of a body whose hash is known. S3 compares it, and no object is ever replaced.
  'PutObject blobs/*',
];

export interface DoorProps {
  readonly name: string;
  readonly settings: Settings;
  readonly defaults: FunctionDefaults;
  readonly table: StockroomTable;
  readonly store: Store;
  readonly key: DoorKey;
  readonly api: Api;
  /** Where CloudFront answers reads of packages: the front, and the keys of files. */
  readonly reads?: Pick<EdgeReadsProps, 'front' | 'keys'> | undefined;
}

/** What a stage on AWS has beside the key: CloudFront, its secret, and the host of the door. */
export interface Outside {
  readonly edge: Edge;
  readonly secret: EdgeSecret;
  readonly log: StockroomLog;
  /** Absent where Lambda is the host. */
  readonly fargate: FargateHost | undefined;
}

/** The server that receives bodies which are too large for API Gateway, with its host, and CloudFront in front of both. */
export class Door extends Construct {
  /** Absent where the local runner is the host. */
  readonly outside: Outside | undefined;

  constructor(scope: Construct, id: string, props: DoorProps) {
    super(scope, id);
    const { settings, store, key } = props;
    const statements = [...storeStatements(store, doorRights), key.signStatement()];
    if (hasEdge(settings.uploads)) this.outside = this.createOutside(statements, props);
    else new DoorRole(this, 'Role', 'lambda.amazonaws.com', statements);
  }

  private createOutside(
    statements: ConstructorParameters<typeof DoorRole>[3],
    { name, settings, defaults, table, store, key, api, reads: ofReads }: DoorProps,
  ): Outside {
    const secret = new EdgeSecret(this, 'EdgeSecret', settings);
    const log = new StockroomLog(this, 'Log', settings);
    const props = {
      name,
      settings,
      log,
      bundle: defaults.bundleOf(doorFunctionId),
      statements: [...statements, secret.readStatement()],
      environment: {
        [environment.storeBucket]: store.bucketName,
        [doorEnvironment.doorKeyId]: key.keyArn,
        [doorEnvironment.apiUrl]: api.baseUrl,
        [publicUrlVariable]: `https://${settings.domain?.name}`,
        [doorEnvironment.edgeSecretArn]: secret.secretArn,
        [environment.metricsNamespace]: name,
        [environment.installation]: table.tableName,
      },
    };
    const fargate = settings.uploads === 'fargate' ? new FargateHost(this, 'Fargate', props) : undefined;
    const { origin } = fargate ?? new WebFunctionHost(this, 'Web', props);
    const reads = ofReads && new EdgeReads(this, 'Reads', { name, store, ...ofReads });
    const edge = new Edge(this, 'Edge', { name, settings, api, secret, door: origin, reads });
    return { edge, secret, log, fargate };
  }
}
