import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Mutant, plantedIn, type Suite } from './mutant.ts';

const root = join(import.meta.dirname, '..', '..');
const suiteMillisecondsMax = 300_000;

/** What a run of a suite showed: nothing when it was green, else the first test that was red. */
export interface Verdict {
  readonly redTest: string | undefined;
}

interface JestReport {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** A copy of the sources in a folder of its own, with the libraries of the original. Bugs are planted there alone. */
export class Copy {
  private readonly directory = mkdtempSync(join(tmpdir(), 'stockroom-mutants-'));

  constructor() {
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
  }

  /** Plants a bug, and runs its suites until one is red. */
  async verdictOn(mutant: Mutant): Promise<Verdict> {
    const path = join(this.directory, mutant.file);
    const original = readFileSync(path, 'utf8');
    const assemblies = this.assemblies();
    writeFileSync(path, plantedIn(original, mutant));
    try {
      for (const suite of mutant.suites) {
        const verdict = await this.run(suite);
        if (verdict.redTest !== undefined) return verdict;
      }
      return { redTest: undefined };
    } finally {
      writeFileSync(path, original);
      for (const made of this.assemblies().filter((each) => !assemblies.includes(each)))
        rmSync(made, { recursive: true, force: true });
    }
  }

  /** Runs a suite on the sources as they are. */
  async run({ path, title, synthesises }: Suite): Promise<Verdict> {
    const report = join(this.directory, 'report.json');
    rmSync(report, { force: true });
    const jest = join('node_modules', 'jest', 'bin', 'jest.js');
    const filter = title === undefined ? [] : ['-t', title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')];
    // To synthesise costs more than most suites. Where the stack of the run does not matter, the first one will do.
    const [unchanged] = synthesises ? this.assemblies() : [];
    const isPlain = unchanged !== undefined || !this.needsStack(path);
    const setup = isPlain ? [`--globalSetup=${join(this.directory, 'test', 'mutants', 'plain-setup.ts')}`] : [];
    const flags = ['--bail', '--runInBand', '--silent', '--json', `--outputFile=${report}`, ...setup, ...filter];
    const child = spawn(process.execPath, [jest, ...flags, '--runTestsByPath', path], {
      cwd: this.directory,
      env: { ...process.env, STOCKROOM_ASSEMBLY: unchanged },
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
    process.once('exit', end);
    await once(child, 'exit');
    clearTimeout(timer);
    process.off('exit', end);
    if (isLate) return { redTest: `${path} did not end in ${suiteMillisecondsMax / 1000} s` };
    return { redTest: redTestIn(report, path) };
  }

  remove(): void {
    // What its tests started may still be ending.
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Whether a file of tests leads to the folder of the synthesised stack. */
  private needsStack(path: string, seen = new Set<string>()): boolean {
    if (path === join('test', 'harness', 'assembly.ts')) return true;
    if (seen.has(path)) return false;
    seen.add(path);
    const imports = readFileSync(join(this.directory, path), 'utf8').matchAll(/ from '(\.[^']+\.ts)'/g);
    return Array.from(imports, ([, name = '']) => join(dirname(path), name)).some(
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

const redTestIn = (report: string, path: string): string | undefined => {
  let text: string;
  try {
    text = readFileSync(report, 'utf8');
  } catch {
    return 'the stack cannot be built';
  }
  const { success, numPassedTests, testResults } = JSON.parse(text) as JestReport;
  if (success && numPassedTests === 0) throw new Error(`No test of ${path} ran: its title has changed.`);
  if (success) return undefined;
  const red = testResults.flatMap(({ assertionResults }) => assertionResults).find(({ status }) => status === 'failed');
  return (
    red?.fullName ??
    `${path} does not run: ${
      testResults[0]?.message
        .trim()
        .split('\n')
        .find((line) => /\w/.test(line)) ?? ''
    }`
  );
};
