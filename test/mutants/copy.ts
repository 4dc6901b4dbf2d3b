import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { BuiltStack, type Variables } from './built-stack.ts';
import { readReport, type Verdict } from './jest-report.ts';
import { type Mutant, plantedIn, type Suite } from './mutant.ts';

const root = join(import.meta.dirname, '..', '..');
const suiteMillisecondsMax = 300_000;

/** A copy of the sources in a folder of its own, with the libraries of the original. Bugs are planted there alone. */
export class Copy {
  private readonly directory = mkdtempSync(join(tmpdir(), 'stockroom-mutants-'));
  private readonly stack = new BuiltStack(this.directory);

  private constructor() {
    const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
      cwd: root,
      encoding: 'utf8',
    });
    for (const file of listed.split('\0').filter((name) => name !== '')) {
      mkdirSync(dirname(join(this.directory, file)), { recursive: true });
      cpSync(join(root, file), join(this.directory, file));
    }
    mkdirSync(join(this.directory, 'node_modules'));
    // Without the cache: what is built of a bug must not outlive it.
    for (const name of readdirSync(join(root, 'node_modules')).filter((each) => each !== '.cache'))
      symlinkSync(join(root, 'node_modules', name), join(this.directory, 'node_modules', name));
    // What its tests started may still be ending.
    process.once('exit', () => rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 }));
  }

  static async make(): Promise<Copy> {
    const copy = new Copy();
    await copy.stack.prepare();
    return copy;
  }

  /** Plants a bug, and runs its suites until one is red. */
  async verdictOn(mutant: Mutant): Promise<Verdict> {
    const path = join(this.directory, mutant.file);
    const original = readFileSync(path, 'utf8');
    const assemblies = this.assemblies();
    writeFileSync(path, plantedIn(original, mutant));
    try {
      for (const suite of mutant.suites) {
        const verdict = await this.runWithBug(mutant.file, suite);
        if (verdict.redTest !== undefined) return verdict;
      }
      return { redTest: undefined, ran: [] };
    } finally {
      writeFileSync(path, original);
      for (const made of this.assemblies().filter((each) => !assemblies.includes(each)))
        rmSync(made, { recursive: true, force: true });
    }
  }

  /** Runs a suite on the sources without a bug, all of it or its tests whose titles contain one of the texts. */
  run(path: string, titles: readonly string[]): Promise<Verdict> {
    return this.jest(path, titles, this.stack.variables);
  }

  private async runWithBug(file: string, { path, title, synthesises }: Suite): Promise<Verdict> {
    const titles = title === undefined ? [] : [title];
    if (synthesises || !this.needsStack(path)) return this.run(path, titles);
    try {
      return await this.stack.withBugIn(file, (variables) => this.jest(path, titles, variables));
    } catch (error) {
      return { redTest: `the stack cannot be built: ${firstLine(String(error))}`, ran: [] };
    }
  }

  private async jest(path: string, titles: readonly string[], variables: Variables): Promise<Verdict> {
    const report = join(this.directory, 'report.json');
    rmSync(report, { force: true });
    const pattern = titles.map((title) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
    // A red test may leave a server behind that keeps jest alive.
    const flags = ['--runInBand', '--forceExit', '--silent', '--json', `--outputFile=${report}`];
    // The path alone says which suite runs, also one that `npm test` leaves out.
    flags.push('--testMatch=**/*.ts');
    const setup = [`--globalSetup=${this.own('plain-setup.ts')}`, `--testEnvironment=${this.own('environment.ts')}`];
    const filter = titles.length === 0 ? [] : ['-t', pattern];
    // With a heap for each function, parallel collectors cost more than the work.
    const node = ['--single-threaded-gc', join('node_modules', 'jest', 'bin', 'jest.js')];
    const child = spawn(process.execPath, [...node, ...flags, ...setup, ...filter, '--runTestsByPath', path], {
      cwd: this.directory,
      env: { ...process.env, ...commonVariables(this.directory), ...variables },
      // In a group of its own, so that what its tests started can be ended with it.
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    let isLate = false;
    const end = () => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL');
    const timer = setTimeout(() => {
      isLate = true;
      end();
    }, suiteMillisecondsMax);
    process.prependOnceListener('exit', end);
    await once(child, 'exit');
    clearTimeout(timer);
    process.off('exit', end);
    if (isLate) return { redTest: `${path} did not end in ${suiteMillisecondsMax / 1000} s`, ran: [] };
    return readReport(report, path);
  }

  private own(name: string): string {
    return join(this.directory, 'test', 'mutants', name);
  }

  /** Whether a file of tests, or one that it imports, looks at what was synthesised. */
  private needsStack(path: string, seen = new Set<string>()): boolean {
    if (path === join('test', 'harness', 'assembly.ts')) return true;
    if (seen.has(path)) return false;
    seen.add(path);
    const text = readFileSync(join(this.directory, path), 'utf8');
    return Array.from(text.matchAll(/ from '(\.[^']+\.ts)'/g), ([, name = '']) => join(dirname(path), name)).some(
      (imported) => imported.startsWith('test') && this.needsStack(imported, seen),
    );
  }

  /** What was synthesised in this copy. */
  private assemblies(): string[] {
    const cache = join(this.directory, 'node_modules', '.cache', 'stockroom');
    mkdirSync(cache, { recursive: true });
    return readdirSync(cache).map((name) => join(cache, name));
  }
}

/** What each process compiles, the next one need not compile again. */
const commonVariables = (directory: string): Variables => ({
  NODE_COMPILE_CACHE: join(directory, 'node_modules', '.cache', 'compiled'),
  LOG_SILENT: 'true',
  // What must see a bug does not depend on the day.
  ALL_CASES: '1',
  ALL_CUTS: '1',
  ALL_DOCUMENTS: '1',
  ALL_GATES: '1',
  ALL_KILLS: '1',
  ALL_LOSSES: '1',
  ALL_PAGES: '1',
  ALL_PARSERS: '1',
});

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';
