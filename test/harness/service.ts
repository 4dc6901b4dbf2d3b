import { credentialsOf, credentialVariables } from '../../infra/local/credentials.ts';
import type { Runner } from '../../infra/local/runner.ts';
import { environment } from '../../shared/config.ts';
import type { EmulatedEdge } from '../front/edge.ts';
import { Client } from './client.ts';
import { hashOf } from './credentials.ts';
import type { ObjectStoreProxy } from './object-store-proxy.ts';
import type { Access, Kind, ServiceKeeper, Variables } from './service-keeper.ts';
import { engineVariable } from './snapshot.ts';
import { insertNewUser } from './stored-items.ts';
import type { TableProxy } from './table-proxy.ts';
import { firstAdmin, World } from './world.ts';

declare global {
  /** Of the environment in which jest runs a suite. */
  var serviceKeeper: () => Promise<ServiceKeeper>;
}

/** A running service with everything that a test needs around it. */
export interface Service {
  readonly runner: Runner;
  readonly proxy: TableProxy;
  /** Between the functions, and those whom they send there, and the object store. */
  readonly store: ObjectStoreProxy;
  readonly client: Client;
  /** Calls the front for reads, if the service has one. */
  readonly front: Client;
  /** The address that package managers are given. */
  readonly url: string;
  readonly world: World;
  /** CloudFront before the API and the front for reads, if the service has it. */
  readonly edge: EmulatedEdge | undefined;
  /** The log lines of the functions, oldest first. */
  readonly logs: readonly string[];
  /** What the functions asked AWS for, each right once. */
  readonly accesses: readonly Access[];
}

export interface ServiceOptions {
  /** Environment variables of the functions, in place of those with which they reach the servers of the tests. */
  readonly environment?: Variables;
  /** Whether no other suite has used the service before: functions that start with the first call, their first accesses. */
  readonly isOwn?: boolean;
  /** Whether there is a door in front of the API. */
  readonly hasDoor?: boolean;
  /** Whether there is a front for reads beside the API. */
  readonly hasFront?: boolean;
  /** Whether CloudFront is before the API and a front for reads. */
  readonly hasEdge?: boolean;
  /** The function as which this process calls the table, through the proxy, so that it meets the same faults. */
  readonly callsAs?: string;
}

/** With `TEST_FRONT=url`, suites that do not say what stands before the functions call the front for reads; with `edge`, CloudFront before it. */
const { TEST_FRONT: calledFront = '' } = process.env;
const callsFront = calledFront === 'url' || calledFront === 'edge';

const kindOf = ({
  hasDoor = false,
  hasFront = callsFront,
  hasEdge = hasFront && calledFront === 'edge',
}: ServiceOptions): Kind => {
  if (hasDoor) return 'door';
  if (hasEdge) return 'edge';
  return hasFront ? 'front' : 'plain';
};

/** Lets the project's own table layer, used by the tests to build worlds, reach the engine past the proxy, or through it as a function. */
export const pointTableLayer = (runner: Runner, tableUrl = runner.engineUrl, caller = 'runner'): void => {
  Object.assign(process.env, {
    [environment.tableName]: runner.tableName,
    AWS_ENDPOINT_URL_DYNAMODB: tableUrl,
    [engineVariable]: runner.engineUrl,
    AWS_REGION: 'us-east-1',
    [environment.storeBucket]: runner.bucket,
    AWS_ENDPOINT_URL_S3: runner.storeUrl,
    ...credentialVariables(credentialsOf(caller)),
  });
};

/** Stores the user who builds the world. */
export const storeFirstAdmin = async (): Promise<void> => {
  const { username, password } = firstAdmin;
  await insertNewUser({ username, passwordHash: await hashOf(password), userRole: 'system-admin' });
};

/** What lets functions reach the servers of the tests. */
export const reachingLoopback = { [environment.allowedPrivateUpstreams]: '127.0.0.1,localhost' } as const;

const start = async (options: ServiceOptions) => {
  const { environment: variables, isOwn = variables !== undefined } = options;
  const keeper = await globalThis.serviceKeeper();
  const running = isOwn
    ? await keeper.start(variables ?? reachingLoopback, kindOf(options))
    : await keeper.lend(reachingLoopback, kindOf(options));
  const { runner, edge } = running;
  pointTableLayer(runner, options.callsAs === undefined ? undefined : running.proxy.url, options.callsAs);
  await storeFirstAdmin();
  const echoes = () => variables?.[environment.echoUpstreamPassword] === 'true';
  const frontUrl = edge?.url ?? runner.packagesUrl;
  const front = new Client(frontUrl ?? runner.url, echoes);
  const client = callsFront ? front : new Client(runner.url, echoes);
  const url = callsFront && frontUrl ? frontUrl : runner.url;
  const giveBack = async () => (isOwn ? running.stop() : keeper.giveBack(running));
  return { ...running, client, front, url, world: new World(client), giveBack };
};

/**
 * Runs the service for the tests of a file. After each test no fault is left, and whatever broke a law of the table or
 * put a secret into the log fails that test.
 */
export const useService = (options: ServiceOptions = {}): Service => {
  // Empty when the start failed: then that failure is the only one told.
  const service: Partial<Awaited<ReturnType<typeof start>>> = {};
  beforeAll(async () => {
    Object.assign(service, await start(options));
  });
  afterEach(() => {
    service.proxy?.heal();
    service.store?.heal();
    expect(service.proxy?.violations.splice(0) ?? []).toEqual([]);
  });
  afterAll(async () => {
    service.client?.close();
    service.front?.close();
    await service.giveBack?.();
  });
  return service as Service;
};
