import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readAssembly } from '../../../infra/local/assembly.ts';
import { digestOfSources } from '../../../infra/local/sources.ts';
import { builtFrom } from '../../../infra/local/synthesis.ts';
import { assemblyDirectory } from '../../harness/assembly.ts';
import { sha256 } from '../../harness/bytes.ts';

const root = join(__dirname, '..', '..', '..');
let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'stockroom-test-'));
});

afterEach(() => {
  for (const start of started.splice(0)) start.signal('SIGKILL');
});

afterAll(() => {
  rmSync(directory, { recursive: true });
});

const ticksPerSecond = 100;

/** Where /proc/{pid}/stat has the processor time of a process and of what it waited for, and that of what it waited for alone. */
const whole = [11, 15] as const;
const waitedFor = [13, 15] as const;

/** Processor time so far, in seconds; other suites may keep the clock of the wall waiting. */
const processorSecondsOf = (pid: number, [first, end]: readonly [number, number]): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return fields.slice(first, end).reduce((ticks, field) => ticks + Number(field), 0) / ticksPerSecond;
};

/** `npm start`, without npm. */
class Start {
  output = '';
  errors = '';
  readonly ended: Promise<unknown[]>;
  private readonly child: ChildProcess;

  constructor(variables: Record<string, string>) {
    this.child = spawn(process.execPath, ['infra/local/main.ts'], {
      cwd: root,
      env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: directory, ...variables },
    });
    this.child.stdout?.on('data', (chunk: Buffer) => {
      this.output += chunk.toString();
    });
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.errors += chunk.toString();
    });
    this.ended = once(this.child, 'close');
    started.push(this);
  }

  async listening(): Promise<void> {
    while (!this.output.includes('listening on')) {
      if (this.child.exitCode !== null) throw new Error(`It ended: ${this.errors}`);
      await pause(20);
    }
  }

  processorSeconds(): number {
    return processorSecondsOf(this.child.pid ?? 0, whole);
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }
}

const started: Start[] = [];

/** What Node compiled before; the first start has none of it, like that of a new developer. */
const compiled = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '' };

/** The processes whose table is in the directory of this test. */
const engines = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const [executable = '', ...parameters] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return executable.endsWith('dynoxide') && parameters.some((parameter) => parameter.startsWith(directory));
      } catch {
        return false;
      }
    })
    .map(Number);

/** The processor time that bundling the endpoints that publish takes, in seconds: how fast this machine is now. */
const bundlingSeconds = (): number => {
  const before = processorSecondsOf(process.pid, waitedFor);
  const handlers = globSync('functions/*/publish-*.ts');
  execFileSync('node_modules/.bin/esbuild', [
    ...handlers,
    '--bundle',
    '--platform=node',
    '--format=esm',
    '--minify',
    '--log-level=error',
    `--outdir=${join(directory, 'bundled')}`,
  ]);
  return processorSecondsOf(process.pid, waitedFor) - before;
};

/** A start bundles some eight times as many endpoints, which share what they bundle, and makes the stack of them. */
const bundlingsMax = 6.5;
// The first start synthesises the stack, beside other suites.
const timeoutMilliseconds = 180_000;

/** The command that is printed to be pasted. */
const printedCommand = (output: string): string => output.split('\n').find((line) => line.startsWith('  curl ')) ?? '';

/** What the functions of an assembly run. */
const digestsIn = (assembly: string) =>
  readAssembly(assembly).functions.map(({ id, directory: bundle }) => [
    id,
    sha256(readFileSync(join(bundle, 'index.js'))),
  ]);

const paste = async (command: string): Promise<string> => {
  const shell = spawn('bash', ['-c', command], { env: { PATH: process.env.PATH } });
  let output = '';
  shell.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await once(shell, 'close');
  return output;
};

describe('npm start', () => {
  it(
    'takes no longer than bundling needs, says what it does until then, serves the same bundles as any build, prints a command that works, and ends at a signal with nothing left',
    async () => {
      // What is built here is of other sources.
      mkdirSync(dirname(builtFrom), { recursive: true });
      writeFileSync(builtFrom, digestOfSources('another'));
      const start = new Start({});
      await start.listening();
      expect(start.processorSeconds() / bundlingSeconds()).toBeLessThan(bundlingsMax);
      expect(start.output.split('\n').slice(0, 4)).toEqual([
        'Building the functions…',
        'Making the stack of them…',
        'Writing the templates…',
        'Starting the table, the object store and the functions…',
      ]);
      expect(
        start.output.match(/\nThe first system admin is 'admin' with the password '.+', shown only this once\.\n/g),
      ).toHaveLength(1);
      expect(start.output).toMatch(/\nlistening on http:\/\/127\.0\.0\.1:\d+\n$/);
      // The same bytes in every build: a deployment of the same sources changes no function.
      expect(digestsIn(join(root, 'cdk.out'))).toEqual(digestsIn(assemblyDirectory()));
      const statuses = (await paste(printedCommand(start.output))).match(/HTTP\/1\.1 \d{3}/g);
      expect(statuses).toEqual(['HTTP/1.1 201', 'HTTP/1.1 201']);
      expect(engines()).toHaveLength(1);
      start.signal('SIGTERM');
      expect(await start.ended).toEqual([0, null]);
      expect(engines()).toEqual([]);
    },
    timeoutMilliseconds,
  );

  it(
    'starts again with its data and builds nothing anew, tells no password, and ends with code 1 and a sentence when the engine dies',
    async () => {
      const start = new Start(compiled);
      await start.listening();
      expect(start.output.split('\n').slice(0, 2)).toEqual([
        'Built from the same sources before.',
        'Starting the table, the object store and the functions…',
      ]);
      expect(start.output).not.toContain('shown only this once');
      // At a terminal, curl asks for the password.
      const command = printedCommand(start.output).replace(' USERNAME ', " 'admin:wrong word' ");
      const statuses = (await paste(command)).match(/HTTP\/1\.1 \d{3}/g);
      expect(statuses?.[0]).toBe('HTTP/1.1 401');
      for (const pid of engines()) process.kill(pid, 'SIGKILL');
      expect(await start.ended).toEqual([1, null]);
      // The door may log a request after it.
      expect(start.errors.trim().split('\n')).toContain(
        'The table engine ended: start again. Nothing that was acknowledged is lost.',
      );
    },
    timeoutMilliseconds,
  );

  it(
    'ends with code 1 and one sentence, before it builds anything, when its port is taken',
    async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const start = new Start({ ...compiled, PORT: `${port}` });
      const ended = await start.ended;
      server.close();
      expect(ended).toEqual([1, null]);
      expect(start.errors).toBe(
        `Port ${port} on 127.0.0.1 is taken: set PORT to another one, or to 0 for any free one.\n`,
      );
      expect(start.output).toBe('');
    },
    timeoutMilliseconds,
  );

  // Each setting has its sentence in the tests of the settings.
  it('ends with code 1 and one sentence when a variable makes no sense', async () => {
    const start = new Start({ ...compiled, PORT: 'http' });
    expect(await start.ended).toEqual([1, null]);
    expect(start.errors).toBe("PORT is 'http': set it to a number from 0 to 65535.\n");
  });
});
