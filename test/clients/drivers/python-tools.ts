import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../../infra/local/sources.ts';
import { moduleOf, wheelName, wheelOf } from '../../harness/pypi.ts';
import type { Driver, Package, Registry } from './driver.ts';
import type { Sandbox } from './sandbox.ts';

const run = promisify(execFile);

/**
 * Clients that are packages of the Python Package Index, in exact versions. They are installed into a virtual environment beside
 * the other caches at their first use: only these tests need them.
 */
export class PythonTools {
  private readonly directory: string;
  private readonly requirements: readonly string[];

  constructor(...requirements: string[]) {
    this.requirements = requirements;
    const label = requirements.join('+').replaceAll('==', '-');
    this.directory = join(projectRoot, 'node_modules', '.cache', 'stockroom-clients', `python-${label}`);
  }

  /** The path of a command of the environment. */
  command(name: string): string {
    return join(this.directory, 'bin', name);
  }

  /** Installs the tools, if they are not there, and returns what they are. */
  async prepare(): Promise<string> {
    // Written last, so that an environment that is not complete is made again.
    const done = join(this.directory, 'done');
    if (!existsSync(done)) await this.install(done);
    return this.requirements.join(', ').replaceAll('==', ' ');
  }

  private async install(done: string): Promise<void> {
    rmSync(this.directory, { recursive: true, force: true });
    mkdirSync(this.directory, { recursive: true });
    try {
      await run('python3', ['-m', 'venv', this.directory]);
      await run(this.command('pip'), ['install', '--quiet', ...this.requirements]);
      mkdirSync(done);
    } catch (error) {
      throw new Error(
        `${this.requirements.join(', ')} cannot be installed: install python3 with venv, check that pip reaches its index, or leave the client out.`,
        { cause: error },
      );
    }
  }
}

/** What all clients of the type pypi have in common. */
export const ofPypi = {
  packageType: 'pypi',
  nameOf: (word) => `acme-${word}`,
  contentOf: (sandbox, name) => sandbox.read(`installed/${moduleOf(name)}/content.txt`),
} as const satisfies Partial<Driver>;

/** Writes the wheel of a package to publish, and returns its name. */
export const writeWheel = (sandbox: Sandbox, each: Package): string => {
  sandbox.writeBytes(`project/${wheelName(each)}`, wheelOf(each));
  return wheelName(each);
};

/** The address of the index, with the credential in it as pip and uv take it. */
export const indexUrl = ({ url, token }: Registry): string => {
  const index = new URL(`${url}/simple/`);
  index.username = 'token';
  index.password = token;
  return index.href;
};

/** What to install: a project, or one version of it. */
export const requirementOf = ({ name, version }: { readonly name: string; readonly version?: string }): string =>
  version === undefined ? name : `${name}==${version}`;
