import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readAssembly } from '../../../infra/local/assembly.ts';
import { ensureTable } from '../../../infra/local/create-table.ts';
import { credentialsOf, credentialVariables } from '../../../infra/local/credentials.ts';
import { type Engine, startEngine } from '../../../infra/local/engine.ts';
import { startEvents } from '../../../infra/local/events.ts';
import { eventDetailType, eventPattern, eventSource, eventTemplate } from '../../../infra/operation/event-shape.ts';
import { newToken } from '../../../shared/auth/tokens.ts';
import { recordInsertion, recordOf, serviceAuthor } from '../../../shared/table/changes.ts';
import { Table } from '../../../shared/table/client.ts';
import { insertToken, noteUse } from '../../../shared/table/identity/tokens.ts';
import { insertUser } from '../../../shared/table/identity/users.ts';
import { insertWorkspace } from '../../../shared/table/identity/workspaces.ts';
import { assemblyDirectory } from '../../harness/assembly.ts';
import { uniqueName } from '../../harness/world.ts';

let directory: string;
let engine: Engine;
const { table, pipe } = readAssembly(assemblyDirectory());

const complaints: string[] = [];
const start = async (others: { readonly dataDirectory?: string; readonly pipe?: typeof pipe } = {}) =>
  startEvents({
    engineUrl: engine.url,
    tableName: table.input.TableName,
    dataDirectory: directory,
    pipe,
    complain: (line) => complaints.push(line),
    ...others,
  });

interface Event {
  readonly id: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

const file = () => join(directory, 'events.ndjson');
const events = (): Event[] =>
  readFileSync(file(), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Event);
const names = () => events().map(({ detail }) => (detail.target as { name: string }).name);

const pointAtEngine = (): void => {
  process.env.AWS_ENDPOINT_URL_DYNAMODB = engine.url;
};

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'stockroom-events-'));
  engine = await startEngine(directory);
  Object.assign(process.env, {
    TABLE_NAME: table.input.TableName,
    AWS_REGION: 'us-east-1',
    ...credentialVariables(credentialsOf('runner')),
  });
  pointAtEngine();
  await ensureTable(table, engine.url, credentialsOf('runner'));
});

afterAll(async () => {
  await engine.stop();
  rmSync(directory, { recursive: true });
});

/** Writes the events in a process of its own, whose files may have so many bytes, and says what it complains of. */
const startLimited = async (bytes: number) => {
  const options = { engineUrl: engine.url, tableName: table.input.TableName, dataDirectory: directory, pipe };
  const module = join(__dirname, '..', '..', '..', 'infra', 'local', 'events.ts');
  const program = `import('${module}').then(({ startEvents }) =>
    startEvents({ ...${JSON.stringify(options)}, complain: (line) => console.log(line) }))`;
  const child = spawn('prlimit', [`--fsize=${bytes}:unlimited`, process.execPath, '--eval', program]);
  const [complaint] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, complaint: complaint.toString() };
};

const create = async (): Promise<string> => {
  const name = uniqueName('ws');
  await insertWorkspace(new Table(), { name, comments: '"quoted"' });
  return name;
};

describe('Events of a local start', () => {
  it('are what the pipe of the stack makes of a record, one line of JSON each, readable by the owner alone', async () => {
    const name = await create();
    const running = await start();
    await running.stop();
    const [event] = events();
    expect(event).toEqual({
      version: '0',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      'detail-type': eventDetailType,
      source: eventSource,
      account: '000000000000',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      region: 'us-east-1',
      resources: [],
      detail: {
        version: '1',
        recordId: event?.id,
        recordedAt: expect.stringMatching(/Z$/),
        action: 'workspace.created',
        operation: '',
        requestId: '',
        sourceAddress: '',
        actor: { kind: 'service', id: 'stockroom', name: 'stockroom', tokenId: '' },
        workspaceId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        repositoryId: '',
        repositoryName: '',
        target: { id: event?.detail.workspaceId, name },
        concerns: [event?.detail.workspaceId],
        before: 'null',
        after: expect.stringContaining(JSON.stringify('"quoted"').slice(1, -1).replaceAll('\\', '\\')),
      },
    });
    expect(JSON.parse(String(event?.detail.after))).toMatchObject({ name, comments: '"quoted"' });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect({ pattern: pipe.pattern, template: pipe.template }).toEqual({
      pattern: eventPattern,
      template: eventTemplate,
    });
  });

  it('come soon, each once, also after a restart and after a crash between an event and its place', async () => {
    const running = await start();
    const made = [await create()];
    for (let waited = 0; !names().includes(made[0] ?? '') && waited < 40; waited += 1)
      await new Promise((resolve) => setTimeout(resolve, 100));
    expect(names()).toContain(made[0]);
    const place = readFileSync(join(directory, 'events.place'), 'utf8');
    made.push(await create());
    await running.stop();
    made.push(await create());
    writeFileSync(join(directory, 'events.place'), place);
    await (await start()).stop();
    expect(names().slice(-3)).toEqual(made);
    expect(new Set(events().map(({ id }) => id)).size).toBe(events().length);
  });

  it('have records, too, whose transactions took a while, each once, and after a restart', async () => {
    /** A change that began so long ago, and whose transaction ends now. */
    const settleLate = async (milliseconds: number): Promise<string> => {
      const name = uniqueName('late');
      const change = {
        action: 'workspace.created',
        workspaceId: null,
        target: { id: name, name },
        before: null,
        after: {},
      } as const;
      const record = recordOf(change, serviceAuthor, 400, randomUUID());
      const recordedAt = new Date(Date.parse(record.recordedAt) - milliseconds).toISOString();
      await new Table().writeUnrecorded([recordInsertion({ ...record, recordedAt })]);
      return name;
    };
    const until = async (name: string): Promise<void> => {
      for (let waited = 0; !names().includes(name) && waited < 100; waited += 1) await pause(50);
      expect(names().filter((each) => each === name)).toEqual([name]);
    };
    const first = await create();
    await (await start()).stop();
    const running = await start();
    await until(first);
    await until(await create());
    const late = [await settleLate(20_000), await settleLate(50_000)];
    for (const name of late) await until(name);
    await running.stop();
    late.push(await settleLate(50_000));
    await (await start()).stop();
    for (const name of late) await until(name);
  });

  it.each([
    ['empty', ''],
    ['cut', '{"until":17'],
    ['no place', 'null'],
  ])('go on after a place that is %s, each once', async (_, place) => {
    const [before, name] = [names().length, await create()];
    writeFileSync(join(directory, 'events.place'), place);
    await (await start()).stop();
    expect([names().length, names().at(-1)]).toEqual([before + 1, name]);
    expect(readdirSync(directory).filter((each) => each.endsWith('.next'))).toEqual([]);
  });

  it('are whole after a line that was cut', async () => {
    const before = names();
    appendFileSync(file(), readFileSync(file(), 'utf8').slice(0, 100));
    const name = await create();
    await (await start()).stop();
    expect(names()).toEqual([...before, name]);
  });

  it('go on at the end of a file that is too large to be read, each once', async () => {
    await create();
    await (await start()).stop();
    const [written] = events().slice(-1);
    const dataDirectory = mkdtempSync(join(tmpdir(), 'stockroom-events-'));
    const large = join(dataDirectory, 'events.ndjson');
    writeFileSync(large, '');
    // A text has at most 512 MiB. What is not written takes no room of the disk.
    truncateSync(large, 600 * 1024 ** 2);
    appendFileSync(large, `\n${JSON.stringify(written)}\n{"cut":`);
    const name = await create();
    await (await start({ dataDirectory })).stop();
    const [, ...lines] = execFileSync('tail', ['-c', '1000000', large], { encoding: 'utf8' }).split('\n');
    const found = lines.slice(0, -1).map((line) => JSON.parse(line) as Event);
    expect(found.filter(({ id }) => id === written?.id)).toHaveLength(1);
    expect(found.at(-1)?.detail.target).toMatchObject({ name });
    rmSync(dataDirectory, { recursive: true });
    await (await start()).stop();
  });

  it('are each written once, in whole lines, where the disk was full in the middle of one and has room again', async () => {
    const before = names();
    const made = [await create(), await create(), await create()];
    // A file that gets too long for a limit ends where the limit is, as on a full disk. The second line has no room.
    const { child, complaint } = await startLimited(statSync(file()).size + 1_000);
    expect(complaint).toBe(`Events are not written to ${file()}: EFBIG: file too large, write\n`);
    expect([names(), readFileSync(file(), 'utf8').at(-1)]).toEqual([[...before, made[0]], '\n']);
    execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited:unlimited']);
    made.push(await create());
    while (names().length < before.length + made.length) await pause(20);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await (await start()).stop();
    expect(names()).toEqual([...before, ...made]);
  });

  it('have a place that is swapped in whole', async () => {
    const place = join(directory, 'events.place');
    const { ino } = statSync(place);
    // The old file stays what it was for whoever has it open.
    const open = openSync(place, 'r');
    const before = readFileSync(place, 'utf8');
    await create();
    await (await start()).stop();
    expect(readFileSync(open, 'utf8')).toBe(before);
    expect(statSync(place).ino).not.toBe(ino);
    closeSync(open);
  });

  it('are of records alone: not of what only counts, and of no secret', async () => {
    const before = events().length;
    const username = uniqueName('user');
    const user = await insertUser(new Table(), { username, passwordHash: '$argon2id$secret', userRole: 'user' });
    if (typeof user === 'string') throw new Error(user);
    const secret = newToken();
    const token = await insertToken(new Table(), secret, { ...user, name: 'ci', expirationDate: null });
    await noteUse(new Table(), token);
    await (await start()).stop();
    expect(
      events()
        .slice(before)
        .map(({ detail }) => detail.action),
    ).toEqual(['user.created', 'token.created']);
    const text = readFileSync(file(), 'utf8');
    expect([text.includes('argon2'), text.includes(secret), text.includes(token.tokenHash)]).toEqual([
      false,
      false,
      false,
    ]);
    expect(complaints).toEqual([]);
  });

  it('are those alone that the pattern of the pipe lets through', async () => {
    await create();
    const dataDirectory = mkdtempSync(join(tmpdir(), 'stockroom-events-'));
    const begun = await start({ dataDirectory, pipe: { ...pipe, pattern: { eventName: ['REMOVE'] } } });
    await begun.stop();
    expect(readdirSync(dataDirectory)).not.toContain('events.ndjson');
    rmSync(dataDirectory, { recursive: true });
  });

  it('begin with the table of an earlier release, which gets the index of the records', async () => {
    const { GlobalSecondaryIndexes, AttributeDefinitions, ...older } = table.input;
    const input = {
      ...older,
      TableName: 'Older',
      AttributeDefinitions: AttributeDefinitions?.filter(({ AttributeName }) => AttributeName !== 'recordShard'),
    };
    await ensureTable({ ...table, input }, engine.url, credentialsOf('runner'));
    const now = { ...table, input: { ...table.input, TableName: 'Older' } };
    await ensureTable(now, engine.url, credentialsOf('runner'));
    await ensureTable(now, engine.url, credentialsOf('runner'));
    const other = mkdtempSync(join(tmpdir(), 'stockroom-events-'));
    const running = await startEvents({
      engineUrl: engine.url,
      tableName: 'Older',
      dataDirectory: other,
      pipe,
      complain: (line) => complaints.push(line),
    });
    await running.stop();
    rmSync(other, { recursive: true });
    expect([GlobalSecondaryIndexes?.length, complaints]).toEqual([1, []]);
  });
});
