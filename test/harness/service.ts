import type { AccessAttempt } from '../../infra/local/access-check.ts';
import { credentialsOf, credentialVariables } from '../../infra/local/credentials.ts';
import { type Runner, startRunner } from '../../infra/local/runner.ts';
import { environment } from '../../shared/config.ts';
import { assemblyDirectory } from './assembly.ts';
import { Client } from './client.ts';
import { insertNewUser } from './insertions.ts';
import { ObjectStoreProxy } from './object-store-proxy.ts';
import { hashOf } from './passwords.ts';
import { findSecret } from './secrets.ts';
import { startTableEngine } from './table-engine.ts';
import { TableProxy } from './table-proxy.ts';
import { firstAdmin, World } from './world.ts';

/** A running service with everything that a test needs around it. */
export interface Service {
  readonly runner: Runner;
  readonly proxy: TableProxy;
  /** Between the functions, and those whom they send there, and the object store. */
  readonly store: ObjectStoreProxy;
  readonly client: Client;
  readonly world: World;
  /** The log lines of the functions, oldest first. */
  readonly logs: readonly string[];
  /** What the functions asked AWS for, each right once. */
  readonly accesses: readonly (AccessAttempt & { readonly functionId: string })[];
}

export interface ServiceOptions {
  /** Overrides of the functions' environment variables; those that change later count from the next `reload` on. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Lets the project's own table layer, used by the tests to build worlds, reach the engine past the proxy. */
export const pointTableLayer = (runner: Runner): void => {
  Object.assign(process.env, {
    [environment.tableName]: runner.tableName,
    AWS_ENDPOINT_URL_DYNAMODB: runner.engineUrl,
    AWS_REGION: 'us-east-1',
    [environment.storeBucket]: runner.bucket,
    AWS_ENDPOINT_URL_S3: runner.storeUrl,
    ...credentialVariables(credentialsOf('runner')),
  });
};

const start = async (options: ServiceOptions, logs: string[]): Promise<Service> => {
  let proxy: TableProxy | undefined;
  let store: ObjectStoreProxy | undefined;
  const accesses: (AccessAttempt & { functionId: string })[] = [];
  const runner = await startRunner({
    assembly: assemblyDirectory(),
    host: '127.0.0.1',
    port: 0,
    dataDir: ':memory:',
    startEngine: startTableEngine,
    firstAdmin: 'none',
    get environment() {
      return { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '', ...options.environment };
    },
    // Tests of all endpoints count the calls of functions that know what they read before.
    warmFunctionsMax: Number.POSITIVE_INFINITY,
    logSink: (line, functionId) => {
      logs.push(line);
      const secret = findSecret(line);
      if (secret !== undefined) proxy?.violations.push(`The log of ${functionId}: the secret '${secret}'`);
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
  pointTableLayer(runner);
  await insertNewUser({
    username: firstAdmin.username,
    passwordHash: await hashOf(firstAdmin.password),
    userRole: 'system-admin',
  });
  const client = new Client(runner.url, () => options.environment?.[environment.echoUpstreamPassword] === 'true');
  return { runner, proxy, store, client, world: new World(client), logs, accesses };
};

/**
 * Runs the service for the tests of a file. After each test no fault is left, and whatever broke a law of the table or
 * put a secret into the log fails that test.
 */
export const useService = (options: ServiceOptions = {}): Service => {
  const logs: string[] = [];
  // Empty when the start failed: then that failure is the only one told.
  const service: Partial<Service> = {};
  beforeAll(async () => {
    Object.assign(service, await start(options, logs));
  });
  afterEach(() => {
    service.proxy?.heal();
    service.store?.heal();
    expect(service.proxy?.violations.splice(0) ?? []).toEqual([]);
  });
  afterAll(async () => {
    service.client?.close();
    await service.runner?.stop();
    await service.proxy?.stop();
    await service.store?.stop();
  });
  return service as Service;
};
