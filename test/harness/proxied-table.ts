import { readAssembly } from '../../infra/local/assembly.ts';
import { ensureTable } from '../../infra/local/create-table.ts';
import { credentialsOf } from '../../infra/local/credentials.ts';
import { environment } from '../../shared/config.ts';
import { assemblyDirectory } from './assembly.ts';
import { startTableEngine } from './table-engine.ts';
import { TableProxy } from './table-proxy.ts';

/** Starts a table without a service. The table layer of this process reaches it through the proxy, as the given function. */
const startProxiedTable = async (functionId: string) => {
  const engine = await startTableEngine();
  const proxy = await TableProxy.start(engine.url);
  const { table } = readAssembly(assemblyDirectory());
  await ensureTable(table, engine.url, credentialsOf(functionId));
  Object.assign(process.env, {
    [environment.tableName]: table.input.TableName,
    AWS_ENDPOINT_URL_DYNAMODB: proxy.url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: functionId,
    AWS_SECRET_ACCESS_KEY: 'tests',
  });
  const stop = async (): Promise<void> => {
    await proxy.stop();
    await engine.stop();
  };
  return { proxy, stop };
};

/** A table without a service for the tests of a file; after each of them no fault is left, and no law of the table is broken. */
export const useProxiedTable = (functionId: string): Pick<Awaited<ReturnType<typeof startProxiedTable>>, 'proxy'> => {
  // Empty when the start failed: then that failure is the only one told.
  const table: Partial<Awaited<ReturnType<typeof startProxiedTable>>> = {};
  beforeAll(async () => {
    Object.assign(table, await startProxiedTable(functionId));
  });
  afterEach(() => {
    table.proxy?.heal();
    expect(table.proxy?.violations.splice(0) ?? []).toEqual([]);
  });
  afterAll(async () => table.stop?.());
  return table as Required<typeof table>;
};
