import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { doorEnvironment, environment, trustsEdgeVariable } from '../../shared/config.ts';
import { frontUrlVariable } from '../../shared/http/request-address.ts';
import { frontId } from '../api/function-metadata.ts';
import { type Assembly, readAssembly } from './assembly.ts';
import { ensureBucket } from './create-bucket.ts';
import { ensureTable } from './create-table.ts';
import { credentialVariables, serviceVariables } from './credentials.ts';
import { credentialsFor, type DependencyOptions, type OnStop, startDependencies } from './dependencies.ts';
import { answerWithRoom } from './disk-space.ts';
import { startDoor } from './door.ts';
import { edgeListener, listenAsEdge } from './edge.ts';
import { startEvents } from './events.ts';
import { ensureFirstAdmin, type FirstAdmin, type FirstAdminWish } from './first-admin.ts';
import { answerAtUrl } from './function-url.ts';
import { startInvocationService } from './invocation-service.ts';
import type { AccessSink, InvokeOptions, LogSink } from './lambda.ts';
import { LogService } from './log-service.ts';
import { type PresignedCheck, presignedCheck } from './presigned-calls.ts';
import { ServedStack } from './served-stack.ts';
import { drain, listen, urlOfServer } from './server.ts';

export interface RunnerOptions extends DependencyOptions {
  /** The folder of the door's bundle, if the assembly has a door. */
  readonly doorBundle?: string;
  /** Writes that folder; called once the server has its port. */
  readonly build?: () => Promise<void>;
  readonly host: string;
  readonly port: number;
  /** The port of the front for reads, if the assembly has one. */
  readonly readsPort?: number | undefined;
  /** The first system admin to create, or 'none' if the caller stores one. */
  readonly firstAdmin?: FirstAdminWish | 'none';
  /** Environment variables of the functions; they override those of the template. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly logSink?: LogSink;
  readonly accessSink?: AccessSink;
  /** Runs the scheduled functions at once and then at their rate; without it, only `runScheduled` runs them. */
  readonly keepsSchedules?: boolean;
  /** Starts a proxy between the functions and the engine; returns the URL for the functions. */
  readonly tableProxy?: (engineUrl: string) => Promise<string>;
  /** The same between the functions and the object store. */
  readonly storeProxy?: (storeUrl: string) => Promise<string>;
}

export interface Runner {
  readonly url: string;
  /** That of the API, behind the edge and the door if there is one. */
  readonly apiUrl: string;
  /** That of the front for reads, if there is one. */
  readonly packagesUrl: string | undefined;
  readonly engineUrl: string;
  readonly kmsUrl: string;
  readonly storeUrl: string;
  readonly tableName: string;
  readonly bucket: string;
  /** The first system admin, if this start created it. */
  readonly firstAdmin: FirstAdmin | undefined;
  /** Resolves when the engine ends although nobody stopped it. */
  readonly engineExited: Promise<void>;
  clearAuthorizerCache(): void;
  /** The environment variables of a function beside those of the template. */
  variablesOf(functionId: string): Readonly<Record<string, string>>;
  /** Calls a function with any event. */
  invoke(functionId: string, event: object, options?: InvokeOptions): Promise<unknown>;
  /** Runs a scheduled function now; returns whether it succeeded. */
  runScheduled(functionId: string): Promise<boolean>;
  /** Whether no function is at work. */
  isIdle(): boolean;
  /** Lets the lifecycle of the bucket remove all that is in the staging area now. */
  expireStaging(): Promise<void>;
  /** Reads the assembly again: new routes, new bundles, the same data. */
  reload(): Promise<void>;
  stop(): Promise<void>;
}

/** Runs the synthesised stack on this machine. */
export const startRunner = async (options: RunnerOptions): Promise<Runner> => {
  const cleanUps: (() => Promise<void> | void)[] = [];
  const stop = async () => {
    for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
  };
  try {
    const runner = await start(options, (cleanUp) => cleanUps.push(cleanUp));
    return { ...runner, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

const start = async (options: RunnerOptions, onStop: OnStop): Promise<Omit<Runner, 'stop'>> => {
  // Take the port first: if another program has it, nothing has been built or changed yet.
  const { logSink: log = (line: string) => process.stderr.write(`${line}\n`), accessSink: access = () => {} } = options;
  const ofStart = {
    [environment.installation]: crypto.randomUUID(),
    // A thread starts in half the time with two thirds of the memory when Node keeps what it compiled.
    NODE_COMPILE_CACHE: join(options.assembly, '.compiled'),
  };
  const hasDoor = options.doorBundle !== undefined;
  const { promise: edgeIsOpen, resolve: openEdge } = Promise.withResolvers<RequestListener>();
  const edge = hasDoor ? await listenAsEdge(options.host, options.port, edgeIsOpen) : undefined;
  if (edge) onStop(() => drain(edge));
  const door = hasDoor ? await startDoor(ofStart, { log, access }) : undefined;
  if (door) onStop(door.stop);
  const { promise: listener, resolve: acceptRequests } = Promise.withResolvers<RequestListener>();
  const server = edge ? await listen('127.0.0.1', 0, listener) : await listen(options.host, options.port, listener);
  onStop(() => drain(server));
  const frontListener = Promise.withResolvers<RequestListener>();
  const front =
    options.readsPort === undefined
      ? undefined
      : await listen(options.host, options.readsPort, frontListener.promise, 'READS_PORT');
  if (front) onStop(() => drain(front));
  await options.build?.();

  const assembly = readAssembly(options.assembly);
  const { table, pipe } = assembly;
  const bucket = assembly.store.bucketName;
  let checkPresigned: PresignedCheck = () => undefined;
  const dataDirectory = options.dataDir === ':memory:' ? undefined : options.dataDir;
  const tableName = table.input.TableName;
  const refusalOf: PresignedCheck = (call) => checkPresigned(call);
  const { engine, keyService, store } = await startDependencies(options, { tableName, onStop, refusalOf });
  const invocations = await startInvocationService((name, event) => stack.invokeEvent(name, event));
  onStop(invocations.stop);
  const logs = new LogService();
  const logService = await logs.start();
  onStop(logService.stop);
  const variablesOf = (id: string, urls: { readonly engine: string; readonly store: string }) => ({
    ...serviceVariables({
      dynamodb: urls.engine,
      s3: urls.store,
      kms: keyService.url,
      lambda: invocations.url,
      logs: logService.url,
    }),
    ...ofStart,
    ...credentialVariables(credentialsFor(id, options)),
  });
  await ensureTable(table, engine.url, credentialsFor('runner', options));
  await ensureBucket(bucket, store.url, credentialsFor('runner', options));
  if (dataDirectory !== undefined && options.dynamodbEndpoint === undefined) {
    const complain = (line: string) => process.stderr.write(`${line}\n`);
    const events = await startEvents({ engineUrl: engine.url, tableName, dataDirectory, pipe, complain });
    onStop(events.stop);
  }
  const { firstAdmin: wish = {} } = options;
  const adminVariables = {
    ...variablesOf('runner', { engine: engine.url, store: store.url }),
    [environment.tableName]: tableName,
  };
  const firstAdmin = wish === 'none' ? undefined : await ensureFirstAdmin(wish, adminVariables);

  const functionUrls = {
    engine: (await options.tableProxy?.(engine.url)) ?? engine.url,
    store: (await options.storeProxy?.(store.url)) ?? store.url,
  };
  // The edge and the door alone call the API, and say who the client is.
  const ofEdge: Readonly<Record<string, string>> = edge ? { [trustsEdgeVariable]: 'true' } : {};
  const apiUrl = urlOfServer(server);
  const packagesUrl = front && urlOfServer(front);
  const ofFront = (id: string): Readonly<Record<string, string>> =>
    id === frontId ? { [doorEnvironment.apiUrl]: `${apiUrl}/${assembly.stage}` } : {};
  const variables = (id: string) => ({
    ...variablesOf(id, functionUrls),
    ...ofEdge,
    ...ofFront(id),
    // All functions are of one release.
    [environment.remembersAccess]: 'true',
    ...options.environment,
  });
  const serve = (assembled: Assembly) => {
    const served = packagesUrl ? { ...assembled, stageVariables: { [frontUrlVariable]: packagesUrl } } : assembled;
    checkPresigned = presignedCheck(served.functions, (id) => credentialsFor(id, options).accessKeyId, access);
    const groups = new Map(served.functions.map(({ id, logGroup }) => [id, logGroup]));
    const keep = (line: string, id: string): void => {
      logs.keep(groups.get(id) ?? '', line);
      log(line, id);
    };
    const stack = new ServedStack(served, variables, { log: keep, access });
    if (options.keepsSchedules) stack.keepSchedules();
    return stack;
  };
  let stack = serve(assembly);
  onStop(() => stack.stop());
  onStop(() => drain(server));
  const answer = answerWithRoom(
    options,
    // A client that hangs up in the middle of its body leaves nobody to answer.
    (...call) => void stack.gateway.answer(...call).catch(() => call[1].destroy()),
  );
  acceptRequests(answer);
  frontListener.resolve((...call) => {
    void answerAtUrl(stack.front(), new URL(packagesUrl ?? apiUrl).host, ...call).catch(() => call[1].destroy());
  });
  const openDoor = async (): Promise<void> => {
    const { door: definition } = readAssembly(options.assembly);
    if (!door || !definition || options.doorBundle === undefined) return;
    const own = { ...variablesOf('door', functionUrls), ...options.environment, API_URL: apiUrl };
    const environmentOfDoor = { ...definition.environment, ...own };
    await door.open({ ...definition, bundle: options.doorBundle, environment: environmentOfDoor });
  };
  await openDoor();
  if (door && edge) {
    openEdge(edgeListener(answer, door, log));
    onStop(door.stop);
    // What clients have begun is answered before the door and the functions stop.
    onStop(() => drain(edge));
  }
  return {
    url: edge ? urlOfServer(edge) : apiUrl,
    apiUrl,
    packagesUrl,
    engineUrl: engine.url,
    kmsUrl: keyService.url,
    storeUrl: store.url,
    tableName,
    bucket,
    firstAdmin,
    engineExited: Promise.race([engine.exited, store.exited]),
    clearAuthorizerCache: () => stack.gateway.clearAuthorizerCache(),
    variablesOf: variables,
    invoke: (...call) => stack.invoke(...call),
    runScheduled: (functionId) => stack.runScheduled(functionId),
    isIdle: () => stack.isIdle(),
    expireStaging: async () => {
      if ('expire' in store) await store.expire({ staging: -1, uploads: -1 });
    },
    reload: async () => {
      const [before, served] = [stack, readAssembly(options.assembly)];
      await openDoor();
      stack = serve(served);
      // What the functions before have begun, they end.
      for (let tries = 0; tries < 100 && !before.isIdle(); tries += 1) await pause(20);
      await before.stop();
    },
  };
};
