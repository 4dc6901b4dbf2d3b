import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { readAssembly } from '../../../infra/local/assembly.ts';
import { ensureTable } from '../../../infra/local/create-table.ts';
import { credentialsOf } from '../../../infra/local/credentials.ts';
import { type Engine, startEngine } from '../../../infra/local/engine.ts';
import { keepExpiry } from '../../../infra/local/expiry.ts';
import { startRunner } from '../../../infra/local/runner.ts';
import { assemblyDirectory } from '../../harness/assembly.ts';
import { TableProxy } from '../../harness/table-proxy.ts';
import { firstAdmin } from '../../harness/world.ts';

const { table } = readAssembly(assemblyDirectory());
const { TableName } = table.input;
const credentials = credentialsOf('runner');

let engine: Engine;
let proxy: TableProxy;
let client: DynamoDBClient;
const complaints: string[] = [];

const clientOf = (endpoint: string): DynamoDBClient =>
  new DynamoDBClient({ endpoint, region: 'us-east-1', credentials });

const put = async (sk: string, fields: object, of = client): Promise<void> => {
  await of.send(new PutItemCommand({ TableName, Item: marshall({ pk: 'EXPIRY', sk, ...fields }) }));
};

const inSeconds = (seconds: number): { expiresAt: number } => ({ expiresAt: Math.floor(Date.now() / 1000) + seconds });

const names = async (of = client): Promise<string[]> => {
  const { Items = [] } = await of.send(new ScanCommand({ TableName }));
  return Items.flatMap(({ pk, sk }) => (pk?.S === 'EXPIRY' ? [sk?.S ?? ''] : [])).toSorted((one, other) =>
    one.localeCompare(other),
  );
};

const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  for (let tries = 0; !(await isSo()) && tries < 400; tries += 1) await pause(20);
};

const keep = () => keepExpiry(table, proxy.url, (line) => complaints.push(line));

beforeAll(async () => {
  engine = await startEngine(undefined);
  proxy = await TableProxy.start(engine.url);
  client = clientOf(engine.url);
  await ensureTable(table, engine.url, credentials);
});

afterEach(() => {
  proxy.heal();
  proxy.forget();
});

afterAll(async () => {
  client.destroy();
  await proxy.stop();
  await engine.stop();
});

describe('The table of a local start', () => {
  it('loses what has expired, also what the starts before have left, as that of a stage does', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'stockroom-test-'));
    const start = async () =>
      startRunner({
        assembly: assemblyDirectory(),
        host: '127.0.0.1',
        port: 0,
        dataDir,
        firstAdmin,
        logSink: () => {},
      });
    const first = await start();
    const before = clientOf(first.engineUrl);
    await put('old', inSeconds(-60), before);
    await put('young', inSeconds(3600), before);
    before.destroy();
    await first.stop();
    const second = await start();
    const after = clientOf(second.engineUrl);
    await until(async () => !(await names(after)).includes('old'));
    expect(await names(after)).toEqual(['young']);
    after.destroy();
    await second.stop();
    rmSync(dataDir, { recursive: true });
  });

  it('keeps what has no end, or none that is a number, and removes what is on further pages', async () => {
    const text = 'x'.repeat(390_000);
    for (let page = 0; page < 8; page += 1) await put(`old ${page}`, { text, ...inSeconds(-60) });
    await put('endless', {});
    await put('text', { expiresAt: '1' });
    const stop = keep();
    await until(async () => (await names()).length === 2);
    await stop();
    expect([await names(), complaints]).toEqual([['endless', 'text'], []]);
  });

  it('keeps what is renewed at that moment', async () => {
    await put('other', inSeconds(-60));
    await put('renewed', inSeconds(-60));
    proxy.answerMilliseconds = 300;
    const stop = keep();
    await until(() => proxy.calls.some(({ operation }) => operation === 'Scan'));
    await pause(100);
    await put('renewed', inSeconds(3600));
    await until(async () => !(await names()).includes('other'));
    await until(() => proxy.calls.filter(({ operation }) => operation === 'DeleteItem').length === 2);
    await stop();
    expect([await names(), complaints]).toEqual([['endless', 'renewed', 'text'], []]);
  });

  it('says why it keeps what has expired, and stops in the middle without a word', async () => {
    await put('old', inSeconds(-60));
    proxy.inject({ fault: 'server-error', operation: 'DeleteItem' });
    const failing = keep();
    await until(() => complaints.length > 0);
    await failing();
    expect(complaints.splice(0)).toEqual(['What has expired is not removed: Internal server error']);
    proxy.heal();
    proxy.inject({ fault: 'hang', operation: 'DeleteItem' });
    const stop = keep();
    await until(() => proxy.calls.some(({ operation }) => operation === 'DeleteItem'));
    await stop();
    expect([complaints, (await names()).includes('old')]).toEqual([[], true]);
  });
});
