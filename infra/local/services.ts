import { join } from 'node:path';
import { type Assembly, readAssembly } from './assembly.ts';
import { ensureBucket } from './create-bucket.ts';
import { ensureTable, hasTable } from './create-table.ts';
import {
  type Credentials,
  credentialsOf,
  credentialVariables,
  environmentCredentials,
  serviceVariables,
} from './credentials.ts';
import { lockDirectory, prepareDirectory } from './data-directory.ts';
import { reserveBytesDefault } from './disk-space.ts';
import { type Engine, externalEngine, hasTableFile, startEngine } from './engine.ts';
import { startEvents } from './events.ts';
import { keepExpiry } from './expiry.ts';
import { startInvocationService } from './invocation-service.ts';
import { startKeyService } from './key-service.ts';
import { keepLifecycle } from './lifecycle.ts';
import { LogService } from './log-service.ts';
import { startObjectStore } from './object-store.ts';
import type { PresignedCheck } from './presigned-calls.ts';

/** What the functions find behind them, and where it keeps its data. */
export interface ServiceOptions {
  /** The folder that `cdk synth` wrote. */
  readonly assembly: string;
  /** The folder of the table and the key, or ':memory:'. */
  readonly dataDir: string;
  /** Where the API listens. */
  readonly host: string;
  /** How many bytes of its disk stay free. */
  readonly reserveBytes?: number;
  /** The URL of an external engine, used instead of the embedded one. */
  readonly dynamodbEndpoint?: string | undefined;
  /** Starts another engine in place of the embedded one. */
  readonly startEngine?: (dataDirectory: string | undefined) => Promise<Engine>;
  /** An object store that somebody else runs, in place of the embedded one. */
  readonly s3Endpoint?: string | undefined;
}

/** Says what is done at the end, in the opposite order. */
export type OnStop = (cleanUp: () => Promise<void> | void) => void;

interface Start {
  readonly onStop: OnStop;
  /** The environment variables that all functions of this start have. */
  readonly ofStart: Readonly<Record<string, string>>;
  /** Says why a call with a presigned URL is refused. */
  readonly refusalOf: PresignedCheck;
  /** Lets a function run for a caller that does not wait. */
  readonly invokeEvent: Parameters<typeof startInvocationService>[0];
}

/** Where functions find the table and the object store. */
interface ServiceUrls {
  readonly engine: string;
  readonly store: string;
}

/** Takes the data directory for this start alone. Throws StartError if it cannot be written, or another start has it. */
export const takeDataDirectory = ({ dataDir, dynamodbEndpoint, s3Endpoint }: ServiceOptions, onStop: OnStop): void => {
  if (dataDir === ':memory:') return;
  prepareDirectory(dataDir);
  // Where table and objects are elsewhere, several starts may share the key.
  if (!dynamodbEndpoint || !s3Endpoint) onStop(lockDirectory(dataDir));
};

/** Whether the table is a new one, so that nobody is in it yet. */
export const beginsTable = ({ dataDir, dynamodbEndpoint }: ServiceOptions): boolean =>
  !dynamodbEndpoint && (dataDir === ':memory:' || !hasTableFile(dataDir));

/** Starts the services of AWS that the functions call, with their table and their bucket. */
export const startServices = async (options: ServiceOptions, assembly: Assembly, start: Start) => {
  const { onStop, ofStart, invokeEvent } = start;
  const { table, pipe, store: bucket } = assembly;
  const tableName = table.input.TableName;
  const { engine, keyService, store } = await startStorage(options, tableName, start);
  const invocations = await startInvocationService(invokeEvent);
  onStop(invocations.stop);
  const logs = new LogService();
  const logService = await logs.start();
  onStop(logService.stop);
  await ensureTable(table, engine.url, credentialsFor('runner', options));
  await ensureBucket(bucket.bucketName, store.url, credentialsFor('runner', options));
  if ('expire' in store) onStop(keepLifecycle(store, bucket.lifecycle));
  const complain = (line: string) => process.stderr.write(`${line}\n`);
  if (options.dynamodbEndpoint === undefined) onStop(keepExpiry(table, engine.url, complain));
  if (options.dataDir !== ':memory:' && options.dynamodbEndpoint === undefined) {
    const events = await startEvents({
      engineUrl: engine.url,
      tableName,
      dataDirectory: options.dataDir,
      pipe,
      complain,
    });
    onStop(events.stop);
  }
  /** The environment variables by which a function finds the services, and its credentials. */
  const variablesOf = (functionId: string, urls: ServiceUrls = { engine: engine.url, store: store.url }) => ({
    ...serviceVariables({
      dynamodb: urls.engine,
      s3: urls.store,
      kms: keyService.url,
      lambda: invocations.url,
      logs: logService.url,
    }),
    ...ofStart,
    ...credentialVariables(credentialsFor(functionId, options)),
  });
  return { engine, keyService, store, logs, variablesOf };
};

/** Starts what keeps data: the engine of the table, the key service and the object store. */
const startStorage = async (options: ServiceOptions, tableName: string, { onStop, refusalOf }: Start) => {
  const { dataDir, dynamodbEndpoint, s3Endpoint } = options;
  const dataDirectory = dataDir === ':memory:' ? undefined : dataDir;
  const engine = dynamodbEndpoint
    ? externalEngine(dynamodbEndpoint)
    : await (options.startEngine ?? startEngine)(dataDirectory);
  onStop(engine.stop);
  const keyService = await startKeyService(dataDirectory, async () =>
    hasTable(tableName, engine.url, credentialsFor('runner', options)),
  );
  onStop(keyService.stop);
  const store = s3Endpoint
    ? { url: s3Endpoint, exited: new Promise<void>(() => {}) }
    : await startObjectStore({
        host: options.host,
        directory: dataDirectory && join(dataDirectory, 'objects'),
        reserveBytes: options.reserveBytes ?? reserveBytesDefault,
        secretOf: secretsFor(options),
        refusalOf,
      });
  if ('stop' in store) onStop(store.stop);
  return { engine, keyService, store };
};

/** The credentials of a function: its own for what is embedded, otherwise those of the environment. */
export const credentialsFor = (functionId: string, { dynamodbEndpoint, s3Endpoint }: ServiceOptions): Credentials =>
  dynamodbEndpoint || s3Endpoint ? environmentCredentials() : credentialsOf(functionId);

/**
 * The embedded store knows the functions of the stack, by the credentials that they were given. It asks for each key
 * that it does not know yet, and to read the assembly takes 20 ms: it is read only for a key that is new here, too.
 */
const secretsFor = (options: ServiceOptions) => {
  const secrets = new Map<string, string>();
  return (accessKeyId: string): string | undefined => {
    if (!secrets.has(accessKeyId))
      for (const id of ['runner', 'door', ...readAssembly(options.assembly).functions.map((each) => each.id)]) {
        const credentials = credentialsFor(id, options);
        secrets.set(credentials.accessKeyId, credentials.secretAccessKey);
      }
    return secrets.get(accessKeyId);
  };
};
