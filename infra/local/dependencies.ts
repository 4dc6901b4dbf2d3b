import { join } from 'node:path';
import { readAssembly } from './assembly.ts';
import { hasTable } from './create-table.ts';
import { type Credentials, credentialsOf, environmentCredentials } from './credentials.ts';
import { prepareDirectory } from './data-directory.ts';
import { reserveBytesDefault } from './disk-space.ts';
import { type Engine, externalEngine, startEngine } from './engine.ts';
import { startKeyService } from './key-service.ts';
import { startObjectStore } from './object-store.ts';
import type { PresignedCheck } from './presigned-calls.ts';

/** What the functions find behind them, and where it keeps its data. */
export interface DependencyOptions {
  /** The folder that `cdk synth` wrote. */
  readonly assembly: string;
  /** The folder of the table and the key, or ':memory:'. */
  readonly dataDir: string;
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
  readonly tableName: string;
  readonly onStop: OnStop;
  readonly refusalOf: PresignedCheck;
}

/** Starts the engine of the table, the key service and the object store. */
export const startDependencies = async (options: DependencyOptions, { tableName, onStop, refusalOf }: Start) => {
  const { dataDir, dynamodbEndpoint, s3Endpoint } = options;
  const dataDirectory = dataDir === ':memory:' ? undefined : dataDir;
  if (dataDirectory) prepareDirectory(dataDirectory);
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
        directory: dataDirectory && join(dataDirectory, 'objects'),
        reserveBytes: options.reserveBytes ?? reserveBytesDefault,
        secretOf: secretsFor(options),
        refusalOf,
      });
  if ('stop' in store) onStop(store.stop);
  return { engine, keyService, store };
};

/** The credentials of a function: its own for what is embedded, otherwise those of the environment. */
export const credentialsFor = (functionId: string, { dynamodbEndpoint, s3Endpoint }: DependencyOptions): Credentials =>
  dynamodbEndpoint || s3Endpoint ? environmentCredentials() : credentialsOf(functionId);

/**
 * The embedded store knows the functions of the stack, by the credentials that they were given. It asks for each key
 * that it does not know yet, and to read the assembly takes 20 ms: it is read only for a key that is new here, too.
 */
const secretsFor = (options: DependencyOptions) => {
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
