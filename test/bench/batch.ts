import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { addMemberToRepositories } from '../../functions/members/contracts.ts';
import { updateWorkspace } from '../../functions/workspaces/contracts.ts';
import { startRunner } from '../../infra/local/runner.ts';
import { Table } from '../../shared/table/client.ts';
import { setMember } from '../../shared/table/identity/memberships.ts';
import type { Workspace } from '../../shared/table/identity/workspaces.ts';
import { insertRepository } from '../../shared/table/repositories/repositories.ts';
import { TableProxy } from '../harness/table-proxy.ts';
import type { Figure } from './report.ts';
import { storeToken, storeUser, storeWorkspace, theService } from './service.ts';
import type { Workbench } from './workbench.ts';

const repositoriesInBatch = 100;
const tripsMax = 3;
/**
 * A transaction of 17 actions: one for each of the 16 shards of the member's grants, and one for the membership; and the record, which
 * names each repository: 10 KB in the table and in the index.
 */
const unitsMax = 34 + 30;
const ratioMax = 0.35;
/** The record of a usual change: an item of 1 KB in the transaction, and its copy in the index. */
const recordUnitsMax = 3;

/** Sends a batch of 100 to the service and counts every call to the table. */
export const batch = async (workbench: Workbench): Promise<Figure[]> => {
  const { engineUrl, tableName } = await theService(workbench);
  let proxy: TableProxy | undefined;
  const runner = await startRunner({
    assembly: workbench.assemblyDirectory,
    host: '127.0.0.1',
    port: 0,
    dataDir: ':memory:',
    dynamodbEndpoint: engineUrl,
    logSink: () => {},
    tableProxy: async (url) => {
      proxy = await TableProxy.start(url);
      return proxy.url;
    },
  });
  try {
    if (!proxy) throw new Error('The runner did not ask for the proxy.');
    const calls = await callsOfBatch(runner.url, proxy);
    const recordUnits = await unitsOfRecord(runner.url, proxy);
    return [
      ...figuresOf(calls.length, writtenBy(calls), await unitsOfItems(engineUrl, tableName)),
      recordFigure(recordUnits),
    ];
  } finally {
    await runner.stop();
    await proxy?.stop();
  }
};

const writtenBy = (calls: Readonly<TableProxy['calls']>): number =>
  calls.filter(({ isWrite }) => isWrite).reduce((sum, call) => sum + (call.units ?? Number.NaN), 0);

/** What the record adds to the change of one item. */
const unitsOfRecord = async (url: string, proxy: TableProxy): Promise<number> => {
  const root = await storeUser('system-admin');
  const workspace = await storeWorkspace(root);
  const { bearer } = await storeToken(root);
  const change = async (comments: string): Promise<void> => {
    const response = await fetch(`${url}/1/workspaces/${workspace.workspaceId}`, {
      method: updateWorkspace.method,
      headers: { Authorization: bearer, 'Content-Type': 'application/json' },
      body: JSON.stringify({ comments }),
    });
    if (!response.ok) throw new Error(`The change was answered ${response.status}: ${await response.text()}`);
  };
  // The first use of a token is noted at the token.
  await change('before');
  proxy.forget();
  await change('after');
  const itemUnits = 2;
  return writtenBy(proxy.calls) - itemUnits;
};

const recordFigure = (units: number): Figure => ({
  row: 'record of a change: write units',
  against: '',
  goal: `≤ ${recordUnitsMax}`,
  figure: `${units}`,
  met: units <= recordUnitsMax,
});

const callsOfBatch = async (url: string, proxy: TableProxy) => {
  const admin = await storeUser();
  const workspace = await storeWorkspace(admin);
  const { bearer } = await storeToken(admin);
  const names = Array.from({ length: repositoriesInBatch }, (_, index) => `repository-${index}`);
  for (const name of names) await storeRepository(workspace, name);
  const call = async () => {
    const { userId, username } = await storeUser();
    await setMember(new Table(), workspace, { userId, username, role: 'member' }, undefined);
    const repositories = names.map((name) => ({ repositoryReference: name, repositoryPermissionLevel: 'canDeploy' }));
    const response = await fetch(`${url}/1/workspaces/${workspace.name}/repositories/members/batch`, {
      method: addMemberToRepositories.method,
      headers: { Authorization: bearer, 'Content-Type': 'application/json' },
      body: JSON.stringify({ userId, repositories }),
    });
    if (!response.ok) throw new Error(`The batch was answered ${response.status}: ${await response.text()}`);
  };
  await call();
  proxy.forget();
  proxy.countsUnits = true;
  await call();
  // The authorizer's answer is cached, so all calls are the endpoint's.
  return proxy.callsOf();
};

const storeRepository = async (workspace: Workspace, name: string): Promise<void> => {
  const made = { repositoryId: randomUUID(), repositoryType: 'local', packageType: 'npm', createdBy: 'bench' } as const;
  await insertRepository(new Table(), workspace, { ...made, name });
};

/** The cost of the same grants with one item each, in one transaction. */
const unitsOfItems = async (endpoint: string, TableName: string): Promise<number> => {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint }));
  const [pk, userId] = [`WORKSPACE#${randomUUID()}`, randomUUID()];
  const item = () => {
    const repositoryId = randomUUID();
    return { pk, sk: `GRANT#${userId}#${repositoryId}`, userId, repositoryId, level: 'canDeploy' };
  };
  const answer = await client.send(
    new TransactWriteCommand({
      TransactItems: Array.from({ length: repositoriesInBatch }, () => ({ Put: { TableName, Item: item() } })),
      ReturnConsumedCapacity: 'TOTAL',
    }),
  );
  client.destroy();
  return answer.ConsumedCapacity?.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0) ?? Number.NaN;
};

const figuresOf = (trips: number, units: number, itemUnits: number): Figure[] => {
  const against = `the same grants as ${repositoriesInBatch} items in one transaction (${itemUnits} write units)`;
  const row = `batch of ${repositoriesInBatch}`;
  return [
    { row: `${row}: round trips`, against: '', goal: `≤ ${tripsMax}`, figure: `${trips}`, met: trips <= tripsMax },
    { row: `${row}: write units`, against: '', goal: `≤ ${unitsMax}`, figure: `${units}`, met: units <= unitsMax },
    {
      row: `${row}: write units`,
      against,
      goal: `≤ ${ratioMax} ×`,
      figure: `${(units / itemUnits).toFixed(3)} ×`,
      met: units / itemUnits <= ratioMax,
    },
  ];
};
