import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CreateTableCommand, DescribeTimeToLiveCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createLocalRepository, getRepository, listRepositories } from '../../../functions/repositories/contracts.ts';
import { getCurrentUser } from '../../../functions/users/contracts.ts';
import { createWorkspace } from '../../../functions/workspaces/contracts.ts';
import { readAssembly } from '../../../infra/local/assembly.ts';
import { credentialsOf } from '../../../infra/local/credentials.ts';
import { lockDirectory } from '../../../infra/local/data-directory.ts';
import { startEngine } from '../../../infra/local/engine.ts';
import { type Runner, type RunnerOptions, startRunner } from '../../../infra/local/runner.ts';
import { StartError } from '../../../infra/local/start-error.ts';
import { assemblyDirectory, assemblyWithFront } from '../../harness/assembly.ts';
import { Client } from '../../harness/client.ts';
import { accountHeader, bearerHeader } from '../../harness/credentials.ts';
import { shareOf } from '../../harness/sampling.ts';
import { TableProxy } from '../../harness/table-proxy.ts';
import { firstAdmin } from '../../harness/world.ts';

const running: Runner[] = [];
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'stockroom-test-'));
});

afterEach(async () => {
  for (const runner of running.splice(0)) await runner.stop();
  rmSync(directory, { recursive: true });
});

const start = async (options: Partial<RunnerOptions> = {}): Promise<Runner> => {
  const runner = await startRunner({
    assembly: assemblyDirectory(),
    host: '127.0.0.1',
    port: 0,
    dataDir: ':memory:',
    firstAdmin,
    logSink: () => {},
    ...options,
  });
  running.push(runner);
  return runner;
};

/** With a proxy before the table, whose answers a test can hold back. */
const startBehindProxy = async (options: Partial<RunnerOptions> = {}): Promise<Runner & { table: TableProxy }> => {
  const { promise, resolve } = Promise.withResolvers<TableProxy>();
  const tableProxy = async (engineUrl: string): Promise<string> => {
    const table = await TableProxy.start(engineUrl);
    resolve(table);
    return table.url;
  };
  return { ...(await start({ ...options, tableProxy })), table: await promise };
};

const occupy = async (): Promise<Server> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
};

/** What listens on this machine in IPv4: /proc has addresses as numbers of the processor's order, in hexadecimal. */
const listeners = (): { address: string; port: number }[] =>
  Array.from(
    readFileSync('/proc/net/tcp', 'utf8').matchAll(/^ *\d+: ([\dA-F]{8}):([\dA-F]{4}) \d{8}:0000 0A /gm),
    ([, address = '', port = '']) => ({
      address: [...Buffer.from(address, 'hex')].toReversed().join('.'),
      port: Number.parseInt(port, 16),
    }),
  );

const admin = accountHeader(firstAdmin.username, firstAdmin.password);
const acme = { params: { workspace: 'acme' }, as: admin };

describe('the local runner', () => {
  it('says what to do when its port is taken', async () => {
    const other = await occupy();
    const { port } = other.address() as AddressInfo;
    const sentence = `Port ${port} on 127.0.0.1 is taken: set PORT to another one, or to 0 for any free one.`;
    await expect(start({ port, dataDir: directory })).rejects.toThrow(sentence);
    expect(readdirSync(directory)).toEqual([]);
    await new Promise((resolve) => other.close(resolve));
  });

  it('says what to do when its host is no address of this machine', async () => {
    await expect(start({ host: '192.0.2.1' })).rejects.toThrow(/^HOST 192\.0\.2\.1 cannot be listened on/);
  });

  it.each([
    ['below a file', (): string => join(directory, 'file', 'below')],
    ['where nobody can write', (): string => '/proc/stockroom'],
  ])('says what to do when its data directory is %s', async (_, place) => {
    writeFileSync(join(directory, 'file'), '');
    const dataDir = place();
    await expect(start({ dataDir })).rejects.toThrow(
      new RegExp(
        `^The data directory ${dataDir} cannot be written \\(\\w+\\): set DATA_DIR to a directory that can\\.$`,
      ),
    );
  });

  it('says what to do when another instance uses its data directory, which goes on', async () => {
    const first = await start({ dataDir: directory });
    await expect(start({ dataDir: join(directory, '.') })).rejects.toThrow(
      /^The data directory .* is in use by another running instance: stop that one, or set DATA_DIR to another directory\.$/,
    );
    const client = new Client(first.url);
    await client.succeed(createWorkspace, { body: { name: 'acme' }, as: admin });
    client.close();
  });

  it('says so, too, when that instance runs in another container with the same volume', async () => {
    const dataDir = join(directory, 'volume');
    await (await start({ dataDir })).stop();
    // The lock of a file in the volume is all that the two have in common.
    const unlock = lockDirectory(dataDir);
    await expect(start({ dataDir })).rejects.toThrow('is in use by another running instance');
    unlock();
    await (await start({ dataDir })).stop();
  });

  it('starts again where an instance was killed, and another one ended', async () => {
    const script = join(__dirname, '..', '..', 'kills', 'local-service.ts');
    const killed = spawn(process.execPath, [script, directory, '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(killed.stdout, 'data');
    await expect(start({ dataDir: directory })).rejects.toThrow('is in use by another running instance');
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    for (const _ of [1, 2]) await (await start({ dataDir: directory })).stop();
  });

  it('builds nothing when it cannot keep its data, or create its first admin', async () => {
    await start({ dataDir: join(directory, 'in use') });
    writeFileSync(join(directory, 'file'), '');
    const refused: Partial<RunnerOptions>[] = [
      { dataDir: join(directory, 'in use') },
      { dataDir: join(directory, 'file', 'below') },
      { firstAdmin: { ...firstAdmin, username: 'Ad Min' } },
      { firstAdmin: { ...firstAdmin, password: 'x'.repeat(7) } },
      { firstAdmin: { ...firstAdmin, tokenFile: join(directory, 'gone', 'token') } },
      { firstAdmin: { ...firstAdmin, tokenFile: join(directory, 'file', 'token') } },
    ];
    const builds: Partial<RunnerOptions>[] = [];
    for (const options of refused)
      await expect(start({ ...options, build: async () => void builds.push(options) })).rejects.toThrow(StartError);
    expect(builds).toEqual([]);
  });

  it('keeps its data over a restart and creates no second admin', async () => {
    const first = await start({ dataDir: directory });
    expect(first.firstAdmin).toEqual(firstAdmin);
    const before = new Client(first.url);
    await before.succeed(createWorkspace, { body: { name: 'acme' }, as: admin });
    const body = { name: 'npm-local', packageType: 'npm' } as const;
    const repository = await before.succeed(createLocalRepository, { ...acme, body });
    before.close();
    await first.stop();

    const second = await start({
      dataDir: directory,
      // Nothing of it is used, so it may be wrong.
      firstAdmin: { username: 'another', password: 'short', tokenFile: join(directory, 'gone', 'token') },
    });
    expect(second.firstAdmin).toBeUndefined();
    const after = new Client(second.url);
    expect(await after.succeed(listRepositories, acme)).toEqual([repository]);
    after.close();
  });

  it('forgets everything in memory', async () => {
    for (const round of [1, 2]) {
      const { url } = await start();
      const client = new Client(url);
      const { repositoryCount } = await client.succeed(createWorkspace, { body: { name: 'acme' }, as: admin });
      expect([round, repositoryCount]).toEqual([round, 0]);
      client.close();
    }
  });

  it('writes a token of the first admin that nobody else can read, and keeps its key so too', async () => {
    const tokenFile = join(directory, 'token');
    writeFileSync(tokenFile, 'an older token that was longer than the new one will be, which must not show', {
      mode: 0o644,
    });
    const { url } = await start({ dataDir: directory, firstAdmin: { ...firstAdmin, tokenFile } });
    const client = new Client(url);
    const as = bearerHeader(readFileSync(tokenFile, 'utf8').trim());
    await client.succeed(createWorkspace, { body: { name: 'acme' }, as });
    client.close();
    expect(statSync(tokenFile).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory, 'upstream.key')).mode & 0o777).toBe(0o600);
  });

  it('keeps a data directory that was there, and a table of an earlier release, so that nobody else can read them', async () => {
    chmodSync(directory, 0o755);
    writeFileSync(join(directory, 'table.sqlite'), '', { mode: 0o644 });
    const { stop } = await start({ dataDir: directory });
    const modes = () =>
      Object.fromEntries(readdirSync(directory).map((name) => [name, statSync(join(directory, name)).mode & 0o077]));
    expect(modes()).toMatchObject({ 'table.sqlite': 0, 'table.sqlite-wal': 0, 'table.sqlite-shm': 0 });
    expect(Object.values(modes()).filter((mode) => mode !== 0)).toEqual([]);
    await stop();

    for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true });
    await start({ dataDir: directory });
    expect(modes()).toMatchObject({ 'table.sqlite': 0, 'table.sqlite-wal': 0, 'table.sqlite-shm': 0 });
  });

  it('makes a data directory that nobody else can look into', async () => {
    const dataDir = join(directory, 'new', 'data');
    await start({ dataDir });
    expect([dataDir, dirname(dataDir)].map((each) => statSync(each).mode & 0o777)).toEqual([0o700, 0o700]);
  });

  it('listens to this machine alone, with all that it starts', async () => {
    const { url, engineUrl, kmsUrl, storeUrl } = await start();
    const ports = [url, engineUrl, kmsUrl, storeUrl].map((each) => Number(new URL(each).port));
    const loopback = listeners().filter(({ address }) => address === '127.0.0.1');
    expect(loopback.map(({ port }) => port)).toEqual(expect.arrayContaining(ports));
    expect(listeners().filter(({ port, address }) => ports.includes(port) && address !== '127.0.0.1')).toEqual([]);
  });

  it('listens with its object store where others reach it, and with nothing else beside the API', async () => {
    const { url, engineUrl, kmsUrl, storeUrl } = await start({ host: '0.0.0.0' });
    const addressesOf = (each: string) =>
      listeners().flatMap(({ port, address }) => (port === Number(new URL(each).port) ? [address] : []));
    expect([url, storeUrl].map(addressesOf)).toEqual([['0.0.0.0'], ['0.0.0.0']]);
    expect([engineUrl, kmsUrl].map(addressesOf)).toEqual([['127.0.0.1'], ['127.0.0.1']]);
  });

  it.each([
    [
      'a password of 7 characters',
      { password: 'x'.repeat(7) },
      'STOCKROOM_ADMIN_PASSWORD must have 8 to 400 characters.',
    ],
    ['a password of 401 characters', { password: 'x'.repeat(401) }, 'STOCKROOM_ADMIN_PASSWORD must have 8 to 400'],
    ['a name that is none', { username: 'Ad Min' }, 'STOCKROOM_ADMIN_USERNAME must be'],
  ])('does not start with a first admin who has %s', async (_, wish, sentence) => {
    await expect(start({ firstAdmin: { ...firstAdmin, ...wish } })).rejects.toThrow(sentence);
  });

  it('does not start with such a first admin either where it meets a table without one', async () => {
    const engine = await startEngine(directory);
    const options = { dynamodbEndpoint: engine.url, firstAdmin: { ...firstAdmin, password: 'x'.repeat(7) } };
    await expect(start(options)).rejects.toThrow('STOCKROOM_ADMIN_PASSWORD must have 8 to 400 characters.');
    await engine.stop();
  });

  it.each(shareOf([8, 400], 2))('starts with a first admin whose password has %i characters', async (length) => {
    // Two units of UTF-16 each, and one character.
    const password = '🎉'.repeat(length);
    expect((await start({ firstAdmin: { username: 'root', password } })).firstAdmin).toEqual({
      username: 'root',
      password,
    });
  });

  it('creates the first admin and the token together, or says what to do and does so at the next start', async () => {
    const engine = await startEngine(directory);
    const table = await TableProxy.start(engine.url);
    const tokenFile = join(directory, 'token');
    const options = { dynamodbEndpoint: table.url, firstAdmin: { ...firstAdmin, tokenFile } };
    try {
      // The disk of the engine is full from its second write on.
      table.inject({ fault: 'server-error', operation: 'TransactWriteItems', after: 1 });
      await start(options).catch(() => {});
      table.heal();
      const { url } = await start(options);
      const client = new Client(url);
      await client.succeed(getCurrentUser, { as: bearerHeader(readFileSync(tokenFile, 'utf8').trim()) });
      client.close();
    } finally {
      for (const runner of running.splice(0)) await runner.stop();
      await table.stop();
      await engine.stop();
    }
  });

  it('says what to do when the engine does not store the first admin', async () => {
    const engine = await startEngine(directory);
    const table = await TableProxy.start(engine.url);
    table.inject({ fault: 'server-error', operation: 'TransactWriteItems' });
    await expect(start({ dynamodbEndpoint: table.url })).rejects.toThrow(
      /^The table engine does not store the first system admin \(Internal server error\): check that it runs and that its disk has space, then start again\.$/,
    );
    await table.stop();
    await engine.stop();
  });

  it('tells of the first admin before it creates it, so that no kill leaves an admin whose password nobody knows', async () => {
    const engine = await startEngine(directory);
    const table = await TableProxy.start(engine.url);
    const told: [string, number][] = [];
    const announce = ({ password }: { password: string }) => {
      const writes = table.calls.filter(({ operation }) => operation === 'TransactWriteItems');
      told.push([password, writes.length]);
    };
    const options = { dynamodbEndpoint: table.url, firstAdmin: { announce } };
    try {
      const { firstAdmin: created } = await start(options);
      expect(told).toEqual([[created?.password, 0]]);
      expect((await start(options)).firstAdmin).toBeUndefined();
      expect(told).toHaveLength(1);
    } finally {
      for (const runner of running.splice(0)) await runner.stop();
      await table.stop();
      await engine.stop();
    }
  });

  it('completes the table that a start has left without its expiry', async () => {
    const engine = await startEngine(directory);
    const client = new DynamoDBClient({
      endpoint: engine.url,
      region: 'us-east-1',
      credentials: credentialsOf('runner'),
    });
    const { input } = readAssembly(assemblyDirectory()).table;
    await client.send(new CreateTableCommand(input));
    await start({ dynamodbEndpoint: engine.url });
    const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: input.TableName }));
    expect(TimeToLiveDescription).toEqual({ AttributeName: 'expiresAt', TimeToLiveStatus: 'ENABLED' });
    client.destroy();
    for (const runner of running.splice(0)) await runner.stop();
    await engine.stop();
  });

  it('answers 200 requests at once, also when the table takes its time', async () => {
    const { url, table } = await startBehindProxy();
    const client = new Client(url);
    await client.succeed(getCurrentUser, { as: admin });
    table.answerMilliseconds = 300;
    const answers = await Promise.all(Array.from({ length: 200 }, () => client.call(getCurrentUser, { as: admin })));
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    client.close();
    await running.pop()?.stop();
    await table.stop();
  });

  it('serves the API under its stage, too, as AWS does, and says so in a Location', async () => {
    const { url } = await start();
    const body = { name: 'npm-local', packageType: 'npm' } as const;
    for (const [base, name] of [
      ['', 'at-the-root'],
      ['/api', 'under-the-stage'],
    ] as const) {
      const client = new Client(`${url}${base}`);
      await client.succeed(createWorkspace, { body: { name }, as: admin });
      const { headers } = await client.call(createLocalRepository, { params: { workspace: name }, as: admin, body });
      expect(headers.location?.startsWith(`${base}/1/workspaces/`)).toBe(true);
      const path = headers.location?.slice(base.length);
      expect((await client.sendTo(getRepository, { path, headers: [['Authorization', admin]] })).status).toBe(200);
      client.close();
    }
  });

  it('serves the routes of a new assembly after a reload, with the same data', async () => {
    const assembly = join(directory, 'assembly');
    mkdirSync(assembly);
    const copy = (change: (template: string) => string) => {
      for (const name of readdirSync(assemblyDirectory())) {
        const [source, target] = [join(assemblyDirectory(), name), join(assembly, name)];
        if (name.endsWith('.template.json')) writeFileSync(target, change(readFileSync(source, 'utf8')));
        else if (!existsSync(target)) symlinkSync(source, target);
      }
    };
    copy((template) => template);
    const { url, reload } = await start({ assembly });
    const client = new Client(url);
    await client.succeed(createWorkspace, { body: { name: 'acme' }, as: admin });
    const statuses = async () =>
      Promise.all(['/healthz', '/health'].map(async (path) => (await fetch(`${url}${path}`)).status));
    expect(await statuses()).toEqual([200, 404]);
    copy((template) => template.replaceAll('"/healthz"', '"/health"'));
    await reload();
    expect(await statuses()).toEqual([404, 200]);
    expect(await client.succeed(listRepositories, acme)).toEqual([]);
    client.close();
  });

  it('answers what is in flight before it stops', async () => {
    const { url, stop, table } = await startBehindProxy();
    table.answerMilliseconds = 500;
    const client = new Client(url);
    const answers = Array.from({ length: 8 }, (_, number) =>
      client.call(createWorkspace, { body: { name: `w-${number}` }, as: admin }),
    );
    const begun = () =>
      table.callsOf('workspaces/create-workspace').filter(({ isWrite, isAbandoned }) => !isWrite && !isAbandoned);
    while (begun().length < answers.length) await pause(10);
    await stop();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(8).fill(201));
    client.close();
    await table.stop();
  });

  it('answers what is in flight at the front for reads before it stops', async () => {
    const { packagesUrl, stop, table } = await startBehindProxy({ assembly: assemblyWithFront(), readsPort: 0 });
    table.answerMilliseconds = 500;
    const answer = fetch(`${packagesUrl}/1/users/me`, { headers: { Authorization: admin } });
    while (table.callsOf('users/get-current-user').length === 0) await pause(10);
    await stop();
    expect((await answer).status).toBe(200);
    await table.stop();
  });
});
