import { type ChildProcess, execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What a run of npm left. */
export interface NpmRun {
  /** What npm printed for programs. */
  readonly stdout: string;
  /** What npm printed for people. */
  readonly stderr: string;
  readonly isFailed: boolean;
  /** The settings of the user after the run. */
  readonly settings: string;
}

/** The address of a repository as npm is configured with it, and the token for it. */
export interface NpmRegistry {
  readonly url: string;
  readonly token?: string;
}

/** The part of an address that npm finds a credential by. */
export const credentialScope = (url: string): string => url.replace(/^https?:/, '');

/** Types one answer after the other, each when npm asks for it. Without a terminal, npm reads them from its input. */
const answerQuestions = ({ stdin, stdout }: ChildProcess, answers: readonly string[]): void => {
  const left = [...answers];
  stdout?.on('data', (text: Buffer) => {
    if (text.toString().endsWith(': ') && left.length > 0) stdin?.write(`${left.shift()}\n`);
  });
};

/** The npm of this machine, with a home, a cache and settings of its own. */
export class NpmClient {
  private readonly folder = mkdtempSync(join(tmpdir(), 'stockroom-npm-'));
  private count = 0;

  /** A folder with files, of which package.json is one. */
  project(manifest: object, files: Readonly<Record<string, string | Uint8Array>> = {}): string {
    const folder = this.newPath('project');
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    return folder;
  }

  /** Runs npm in the folder of a project, and answers what it asks. Nothing of the settings of this machine, or of the npm that runs the tests, reaches it. */
  async run(
    project: string,
    { url, token }: NpmRegistry,
    parameters: readonly string[],
    settings: Readonly<Record<string, string>> = {},
    answers: readonly string[] = [],
  ): Promise<NpmRun> {
    const lines = {
      registry: url,
      cache: join(this.folder, 'cache'),
      'update-notifier': 'false',
      audit: 'false',
      fund: 'false',
      ...(token !== undefined && { [`${credentialScope(url)}:_authToken`]: token }),
      ...settings,
    };
    // Beside the project: a publish would pack it.
    const userconfig = this.newPath('npmrc');
    writeFileSync(
      userconfig,
      Object.entries(lines)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    );
    const env = {
      PATH: process.env.PATH,
      HOME: this.folder,
      npm_config_userconfig: userconfig,
      npm_config_globalconfig: join(this.folder, 'no-global-settings'),
    };
    const { promise, resolve, reject } = Promise.withResolvers<NpmRun>();
    const child = execFile('npm', parameters, { cwd: project, env }, (error, stdout, stderr) => {
      if (error && typeof error.code !== 'number') reject(error);
      else resolve({ stdout, stderr, isFailed: error !== null, settings: readFileSync(userconfig, 'utf8') });
    });
    answerQuestions(child, answers);
    return promise;
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private newPath(kind: string): string {
    this.count += 1;
    return join(this.folder, `${kind}-${this.count}`);
  }
}
