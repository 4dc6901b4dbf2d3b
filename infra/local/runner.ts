import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { doorEnvironment, environment, trustsEdgeVariable } from '../../shared/config.ts';
import { frontUrlVariable } from '../../shared/http/request-address.ts';
import { frontId } from '../api/function-metadata.ts';
import { type Assembly, readAssembly } from './assembly.ts';

import { answerWithRoom } from './disk-space.ts';
import { startDoor } from './door.ts';
import { checkFirstAdmin, ensureFirstAdmin, type FirstAdmin, type FirstAdminWish } from './first-admin.ts';
import { answerAtUrl } from './function-url.ts';
import type { AccessSink, InvokeOptions, LogSink } from './lambda.ts';
import { takePorts } from './ports.ts';
import { type PresignedCheck, presignedCheck } from './presigned-calls.ts';
import { ServedStack } from './served-stack.ts';
import {
  beginsTable,
  credentialsFor,
  type OnStop,
  type ServiceOptions,
  startServices,
  takeDataDirectory,
} from './services.ts';

export interface RunnerOptions extends ServiceOptions {
  /** The folder of the door's bundle, if the assembly has a door. */
  readonly doorBundle?: string;
  /** Writes that folder; called once nothing keeps this start from its ports and its data. */
  readonly build?: () => Promise<void>;
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
  const { logSink: log = (line: string) => process.stderr.write(`${line}\n`), accessSink: access = () => {} } = options;
  const ofStart = {
    [environment.installation]: crypto.randomUUID(),
    // A thread starts in half the time with two thirds of the memory when Node keeps what it compiled.
    NODE_COMPILE_CACHE: join(options.assembly, '.compiled'),
  };
  const hasDoor = options.doorBundle !== undefined;
  const { firstAdmin: wish = {} } = options;
  // Whatever a start is refused for, nothing has been built or changed yet.
  const ports = await takePorts({ ...options, hasDoor }, onStop);
  const { apiUrl, packagesUrl } = ports;
  takeDataDirectory(options, onStop);
  if (wish !== 'none' && beginsTable(options)) checkFirstAdmin(wish);
  const door = hasDoor ? await startDoor(ofStart, { log, access }) : undefined;
  if (door) onStop(door.stop);
  await options.build?.();

  const assembly = readAssembly(options.assembly);
  let checkPresigned: PresignedCheck = () => undefined;
  const { engine, keyService, store, logs, variablesOf } = await startServices(options, assembly, {
    onStop,
    ofStart,
    refusalOf: (call) => checkPresigned(call),
    invokeEvent: (name, event) => stack.invokeEvent(name, event),
  });
  const tableName = assembly.table.input.TableName;
  const adminVariables = { ...variablesOf('runner'), [environment.tableName]: tableName };
  const firstAdmin = wish === 'none' ? undefined : await ensureFirstAdmin(wish, adminVariables);

  const functionUrls = {
    engine: (await options.tableProxy?.(engine.url)) ?? engine.url,
    store: (await options.storeProxy?.(store.url)) ?? store.url,
  };
  // The edge and the door alone call the API, and say who the client is.
  const ofEdge: Readonly<Record<string, string>> = hasDoor ? { [trustsEdgeVariable]: 'true' } : {};
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
  const openDoor = async (): Promise<void> => {
    const { door: definition } = readAssembly(options.assembly);
    if (!door || !definition || options.doorBundle === undefined) return;
    const own = { ...variablesOf('door', functionUrls), ...options.environment, API_URL: apiUrl };
    const environmentOfDoor = { ...definition.environment, ...own };
    await door.open({ ...definition, bundle: options.doorBundle, environment: environmentOfDoor });
  };
  await openDoor();
  // What clients have begun is answered before the functions stop.
  onStop(() => ports.drain(door));
  ports.open({
    api: answerWithRoom(
      options,
      // A client that hangs up in the middle of its body leaves nobody to answer.
      (...call) => void stack.gateway.answer(...call).catch(() => call[1].destroy()),
    ),
    front: (...call) => {
      void answerAtUrl(stack.front(), new URL(packagesUrl ?? apiUrl).host, ...call).catch(() => call[1].destroy());
    },
    door,
    log,
  });
  return {
    url: ports.url,
    apiUrl,
    packagesUrl,
    engineUrl: engine.url,
    kmsUrl: keyService.url,
    storeUrl: store.url,
    tableName,
    bucket: assembly.store.bucketName,
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
