import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Ran } from './driver.ts';

/** After which a client is taken for stuck. A run of mvn takes seconds on a free machine, and a minute beside other work. */
const clientMilliseconds = 180_000;

/** Clients of Debian and RubyGems, which `CLIENT_ROOT` has in another release. */
const ofRoots: ReadonlySet<string> = new Set(['apt-get', 'sqv', 'gem', 'bundle']);

/**
 * A command as it is run: with `CLIENT_ROOT`, some clients are those of a root that debootstrap has made, such as one of a newer release.
 * It sees the `/tmp` of this machine (`mount --bind`).
 */
export const runnable = (command: string, parameters: readonly string[], folder = '/'): [string, string[]] => {
  const root = process.env.CLIENT_ROOT;
  if (root === undefined || !ofRoots.has(command)) return [command, [...parameters]];
  return ['chroot', [root, 'env', '-C', folder, command, ...parameters]];
};

/** A home and a project in which one client runs, without the settings and the caches of this machine. */
export class Sandbox {
  private readonly folder = mkdtempSync(join(tmpdir(), 'stockroom-client-'));
  readonly home = join(this.folder, 'home');
  readonly project = join(this.folder, 'project');

  constructor() {
    mkdirSync(this.home);
    mkdirSync(this.project);
  }

  /** Writes files, by their paths from the folder of the sandbox. */
  write(files: Readonly<Record<string, string>>): void {
    for (const [path, content] of Object.entries(files)) {
      const file = join(this.folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
  }

  /** Writes a file that is no text. */
  writeBytes(path: string, content: Uint8Array): void {
    writeFileSync(join(this.folder, path), content);
  }

  /** Whether the project has a file. */
  has(path: string): boolean {
    return existsSync(join(this.project, path));
  }

  /** The path of the first file below a folder of the project that has this name; undefined if there is none. */
  find(folder: string, name: string): string | undefined {
    const files = this.has(folder)
      ? readdirSync(join(this.project, folder), { recursive: true, encoding: 'utf8' })
      : [];
    const found = files.find((file) => basename(file) === name);
    return found === undefined ? undefined : join(folder, found);
  }

  /** Reads a file of the project that is no text. */
  readBytes(path: string): Buffer {
    return readFileSync(join(this.project, path));
  }

  /** Reads a file of the project. */
  read(path: string): string {
    return readFileSync(join(this.project, path), 'utf8');
  }

  /** Runs a command in the project. Node scripts run on the Node of this process. */
  async run(command: string, parameters: readonly string[], variables: Readonly<Record<string, string>> = {}) {
    const env = {
      PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}`,
      HOME: this.home,
      CI: 'true',
      NO_COLOR: '1',
      ...variables,
    };
    const { promise, resolve, reject } = Promise.withResolvers<Ran>();
    const child = execFile(
      ...runnable(command, parameters, this.project),
      { cwd: this.project, env, timeout: clientMilliseconds },
      (error, stdout, stderr) => {
        if (error && typeof error.code !== 'number')
          reject(new Error(`${command} did not end by itself.`, { cause: error }));
        else resolve({ output: stdout + stderr, isFailed: error !== null });
      },
    );
    child.stdin?.end();
    return promise;
  }

  /** Runs a command with one list of parameters after the other, as long as it succeeds. Each begins with those of `first`. */
  async runAll(
    command: string,
    lists: readonly (readonly string[])[],
    {
      first = [],
      variables,
    }: { readonly first?: readonly string[]; readonly variables?: Readonly<Record<string, string>> } = {},
  ): Promise<Ran> {
    let output = '';
    for (const parameters of lists) {
      const ran = await this.run(command, [...first, ...parameters], variables);
      output += ran.output;
      if (ran.isFailed) return { output, isFailed: true };
    }
    return { output, isFailed: false };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
