import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../../infra/local/sources.ts';
import { runnable } from './sandbox.ts';

const run = promisify(execFile);

/** The version of a command of this machine. */
export const commandVersion = async (command: string, parameter = '--version'): Promise<string> => {
  try {
    const { stdout } = await run(...runnable(command, [parameter]));
    return /\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? stdout.trim();
  } catch (error) {
    throw new Error(`There is no ${command} on the PATH: install it, or leave it out with WITHOUT=${command}.`, {
      cause: error,
    });
  }
};

/**
 * A client that is a package of the npm registry, in one exact version. It is installed beside the other caches at its first use:
 * only these tests need it, and the largest has 23 MB.
 */
export class FetchedTool {
  readonly script: string;
  private readonly directory: string;
  private readonly label: string;
  private readonly dependency: Readonly<Record<string, string>>;
  private readonly isBinary: boolean;

  /** Node runs the script, unless it is a binary. */
  constructor(packageName: string, version: string, script: string, { isBinary = false } = {}) {
    this.label = `${packageName}@${version}`;
    this.isBinary = isBinary;
    this.dependency = { [packageName]: version };
    this.directory = join(projectRoot, 'node_modules', '.cache', 'stockroom-clients', this.label.replaceAll('/', '-'));
    this.script = join(this.directory, 'node_modules', packageName, script);
  }

  /** Installs the tool, if it is not there. */
  async fetch(): Promise<void> {
    if (!existsSync(this.script)) await this.install();
  }

  /** Installs the tool, if it is not there, and returns its version. */
  async prepare(): Promise<string> {
    await this.fetch();
    const [command, ...parameters] = this.isBinary ? [this.script] : [process.execPath, this.script];
    const { stdout } = await run(command ?? '', [...parameters, '--version'], { cwd: this.directory });
    return stdout.trim();
  }

  private async install(): Promise<void> {
    mkdirSync(this.directory, { recursive: true });
    writeFileSync(
      join(this.directory, 'package.json'),
      JSON.stringify({ private: true, dependencies: this.dependency }),
    );
    try {
      await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: this.directory });
    } catch (error) {
      rmSync(this.directory, { recursive: true, force: true });
      throw new Error(`${this.label} cannot be installed: check that npm reaches its registry, or leave it out.`, {
        cause: error,
      });
    }
  }
}

/** Commands that one Go module builds: each is the path of a package of one of the modules, in an exact version. */
export interface GoModules {
  readonly modules: readonly string[];
  readonly commands: readonly string[];
}

/**
 * Builds commands with the `go` of this machine beside the other caches, at their first use, and returns their folder. It takes
 * minutes, so it says what it does.
 */
export const builtCommands = async (label: string, { modules, commands }: GoModules): Promise<string> => {
  const directory = join(projectRoot, 'node_modules', '.cache', 'stockroom-clients', label);
  const binaries = join(directory, 'bin');
  if (existsSync(binaries)) return binaries;
  process.stderr.write(`Building ${label} once, in ${directory}. This takes minutes.\n`);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const imports = commands.map((command) => `import _ "${command}"\n`).join('');
  writeFileSync(join(directory, 'go.mod'), 'module clients\n\ngo 1.24\n');
  // The commands are dependencies under a build tag, so that one resolution of versions holds for all of them.
  writeFileSync(join(directory, 'commands.go'), `//go:build commands\n\npackage clients\n\n${imports}`);
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=mod -buildvcs=false', GOWORK: 'off' };
  const go = async (...parameters: string[]) => run('nice', ['go', ...parameters], { cwd: directory, env });
  try {
    // Not `go get`, which asks the proxy for all versions of a module, too.
    await go('mod', 'edit', ...modules.map((module) => `-require=${module}`));
    await go('build', '-trimpath', '-ldflags=-s -w', '-o', `${join(directory, 'built')}/`, ...commands);
    renameSync(join(directory, 'built'), binaries);
  } catch (error) {
    throw new Error(`${label} cannot be built: it needs go 1.24 or newer and a Go module proxy, or leave it out.`, {
      cause: error,
    });
  }
  return binaries;
};
