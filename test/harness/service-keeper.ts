import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteObjectsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import type { AccessAttempt } from '../../infra/local/access-check.ts';
import { readAssembly, type TableDefinition } from '../../infra/local/assembly.ts';
import { ensureTable } from '../../infra/local/create-table.ts';
import { credentialsOf } from '../../infra/local/credentials.ts';
import { type Runner, startRunner } from '../../infra/local/runner.ts';
import { local } from '../../infra/local/template.ts';
import { EmulatedEdge } from '../front/edge.ts';
import { assemblyDirectory, assemblyWithDoor, assemblyWithEdge, assemblyWithFront } from './assembly.ts';
import { ObjectStoreProxy } from './object-store-proxy.ts';
import { findSecret } from './secrets.ts';
import { startTableEngine } from './table-engine.ts';
import { TableProxy } from './table-proxy.ts';

/** What a function asked AWS for, each right once. */
export type Access = AccessAttempt & { readonly functionId: string };

/** A running service, between two proxies that record and break. */
export interface RunningService {
  readonly runner: Runner;
  readonly proxy: TableProxy;
  readonly store: ObjectStoreProxy;
  /** The log lines of the functions, oldest first. */
  readonly logs: string[];
  readonly accesses: Access[];
  /** CloudFront before the API and the front for reads, where the kind has it. */
  readonly edge: EmulatedEdge | undefined;
  stop(): Promise<void>;
}

/** Overrides of the functions' environment variables; those that change later count from the next `reload` on. */
export type Variables = Readonly<Record<string, string>>;

/** What stands before the functions: API Gateway alone, with a door before it, with a front for reads beside it, or with CloudFront before both. */
export type Kind = 'plain' | 'door' | 'front' | 'edge';

/** The assembly of a kind, and what the runner starts of it. */
const assemblies = {
  plain: () => ({ assembly: assemblyDirectory() }),
  door: () => ({ assembly: assemblyWithDoor(), doorBundle: join(assemblyWithDoor(), 'door') }),
  front: () => ({ assembly: assemblyWithFront(), readsPort: 0 }),
  edge: () => ({ assembly: assemblyWithEdge(), readsPort: 0 }),
} as const;

/** Starts the stack of a kind that the global setup synthesised, with an empty table. */
const startService = async (variables: Variables, kind: Kind): Promise<RunningService> => {
  let proxy: TableProxy | undefined;
  let store: ObjectStoreProxy | undefined;
  const edge = kind === 'edge' ? new EmulatedEdge() : undefined;
  await edge?.start();
  const logs: string[] = [];
  const accesses: Access[] = [];
  const runner = await startRunner({
    ...assemblies[kind](),
    host: '127.0.0.1',
    port: 0,
    dataDir: ':memory:',
    startEngine: startTableEngine,
    firstAdmin: 'none',
    get environment() {
      return { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '', ...variables, ...edge?.environment };
    },
    logSink: (line, functionId) => {
      logs.push(line);
      const secret = findSecret(line);
      if (secret !== undefined) proxy?.violations.push(`The log of ${functionId}: the secret '${secret}'`);
      if (line.includes('The function failed between two calls')) proxy?.violations.push(`${functionId}: ${line}`);
    },
    accessSink: (access, functionId) => {
      accesses.push({ ...access, functionId });
      if (!access.isAllowed)
        proxy?.violations.push(`${functionId} has no right to ${access.action} ${access.resource}`);
    },
    tableProxy: async (engineUrl) => {
      proxy = await TableProxy.start(engineUrl);
      return proxy.url;
    },
    storeProxy: async (storeUrl) => {
      store = await ObjectStoreProxy.start(storeUrl);
      return store.url;
    },
  });
  if (!proxy || !store) throw new Error('The runner did not ask for the proxies.');
  edge?.connect(runner);
  const proxies = [proxy, store];
  const stop = async () => {
    edge?.stop();
    await runner.stop();
    for (const each of proxies) await each.stop();
  };
  return { runner, proxy, store, logs, accesses, edge, stop };
};

let definition: TableDefinition | undefined;
/** To read an assembly takes longer than to make a table. */
const tableDefinition = (): TableDefinition => {
  definition ??= readAssembly(assemblyDirectory()).table;
  return definition;
};

/** Empties table and bucket, and forgets what was recorded. */
const reset = async ({ runner, proxy, store, logs, accesses }: RunningService): Promise<void> => {
  const client = new DynamoDBClient({
    endpoint: runner.engineUrl,
    region: local.region,
    credentials: credentialsOf('runner'),
  });
  await client.send(new DeleteTableCommand({ TableName: runner.tableName }));
  client.destroy();
  await ensureTable(tableDefinition(), runner.engineUrl, credentialsOf('runner'));
  await emptyBucket(runner);
  runner.clearAuthorizerCache();
  proxy.heal();
  store.heal();
  proxy.countsUnits = false;
  proxy.forget();
  store.forget();
  for (const each of [proxy.violations, logs, accesses]) each.length = 0;
};

const emptyBucket = async ({ storeUrl, bucket: Bucket }: Runner): Promise<void> => {
  const client = new S3Client({
    endpoint: storeUrl,
    region: local.region,
    credentials: credentialsOf('runner'),
    forcePathStyle: true,
  });
  for (;;) {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }));
    if (Contents.length === 0) break;
    await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: Contents.map(({ Key }) => ({ Key })) } }));
  }
  client.destroy();
};

const idleMillisecondsMax = 2_000;
const idlePollMilliseconds = 10;
/** Longer than jest needs to begin the next suite; shorter than it waits for a process that should end. */
const keptMilliseconds = 250;

/** Lends a service to one suite after another: functions that are warm need a tenth of the time. */
export class ServiceKeeper {
  /** One of each kind. */
  private readonly kept = new Map<Kind, RunningService>();
  private isLent = false;
  private end: NodeJS.Timeout | undefined;

  beginSuite(): void {
    clearTimeout(this.end);
  }

  endSuite(): void {
    // A suite that failed before it had the service does not give it back.
    if (this.isLent) void this.drop();
    this.end = setTimeout(() => void this.drop(), keptMilliseconds);
  }

  /** Stops what it lent: no suite comes any more. */
  endProcess(): void {
    clearTimeout(this.end);
    void this.drop();
  }

  /** Starts a service for one suite alone. */
  start(variables: Variables, kind: Kind): Promise<RunningService> {
    return startService(variables, kind);
  }

  /** A service with an empty table, until it is given back. */
  async lend(variables: Variables, kind: Kind): Promise<RunningService> {
    if (this.isLent) throw new Error('A suite has one service: let the other one be its own.');
    this.isLent = true;
    const kept = this.kept.get(kind);
    if (kept) await reset(kept);
    const service = kept ?? (await startService(variables, kind));
    this.kept.set(kind, service);
    return service;
  }

  /** What still works for one suite would meet the next one. */
  async giveBack({ runner }: RunningService): Promise<void> {
    for (let waited = 0; !runner.isIdle() && waited < idleMillisecondsMax; waited += idlePollMilliseconds)
      await pause(idlePollMilliseconds);
    if (runner.isIdle()) this.isLent = false;
    else await this.drop();
  }

  private async drop(): Promise<void> {
    const dropped = Array.from(this.kept.values());
    this.kept.clear();
    this.isLent = false;
    await Promise.all(dropped.map((service) => service.stop()));
  }
}
