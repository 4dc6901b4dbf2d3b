import type { Assembly } from './assembly.ts';
import { ensureBucket } from './create-bucket.ts';
import { ensureTable } from './create-table.ts';
import { credentialVariables, serviceVariables } from './credentials.ts';
import { credentialsFor, type DependencyOptions, type OnStop, startDependencies } from './dependencies.ts';
import { startEvents } from './events.ts';
import { startInvocationService } from './invocation-service.ts';
import { LogService } from './log-service.ts';
import type { PresignedCheck } from './presigned-calls.ts';

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

/** Starts the services of AWS that the functions call, with their table and their bucket. */
export const startServices = async (options: DependencyOptions, assembly: Assembly, start: Start) => {
  const { onStop, ofStart, refusalOf, invokeEvent } = start;
  const { table, pipe, store: bucket } = assembly;
  const tableName = table.input.TableName;
  const { engine, keyService, store } = await startDependencies(options, { tableName, onStop, refusalOf });
  const invocations = await startInvocationService(invokeEvent);
  onStop(invocations.stop);
  const logs = new LogService();
  const logService = await logs.start();
  onStop(logService.stop);
  await ensureTable(table, engine.url, credentialsFor('runner', options));
  await ensureBucket(bucket.bucketName, store.url, credentialsFor('runner', options));
  if (options.dataDir !== ':memory:' && options.dynamodbEndpoint === undefined) {
    const complain = (line: string) => process.stderr.write(`${line}\n`);
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
