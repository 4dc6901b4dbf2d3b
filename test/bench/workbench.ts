import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { build } from 'esbuild';
import { bundleOptions } from '../../infra/api/bundles.ts';
import { type Assembly, type FunctionDefinition, readAssembly } from '../../infra/local/assembly.ts';
import { projectRoot } from '../../infra/local/sources.ts';
import { synthesise } from '../../infra/local/synthesis.ts';

/** The environment variables of a bundle or a yardstick. */
export const functionVariables = {
  PATH: process.env.PATH ?? '',
  TABLE_NAME: 'bench',
  METRICS_NAMESPACE: 'bench',
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
};

/** The folder with everything that is measured, and the processes that measure it. */
export class Workbench {
  readonly directory = mkdtempSync(join(tmpdir(), 'stockroom-bench-'));
  readonly assemblyDirectory = join(this.directory, 'cdk.out');
  private readonly children = new Set<ChildProcess>();
  private read: Assembly | undefined;

  /** Synthesises the stack, and bundles yardsticks and processes with the same settings as the functions. */
  async prepare(): Promise<void> {
    await synthesise(this.assemblyDirectory, { uploads: 'local', reads: 'url' });
    await build({
      ...bundleOptions,
      entryPoints: ['yardsticks', 'processes'].map((folder) => join(projectRoot, 'test', 'bench', folder, '*.ts')),
      outbase: join(projectRoot, 'test', 'bench'),
      outdir: this.directory,
    });
    writeFileSync(join(this.directory, 'package.json'), '{"type":"commonjs"}');
  }

  get assembly(): Assembly {
    this.read ??= readAssembly(this.assemblyDirectory);
    return this.read;
  }

  /** The file of a function's bundle, as it would be deployed. */
  bundle(functionId: string): string {
    return join(this.definition(functionId).directory, 'index.js');
  }

  /** A function as the template has it. */
  definition(functionId: string): FunctionDefinition {
    const definition = this.assembly.functions.find(({ id }) => id === functionId);
    if (!definition) throw new Error(`The stack has no function ${functionId}.`);
    return definition;
  }

  /** The file of a yardstick or a process of the bench. */
  built(name: string): string {
    return join(this.directory, `${name}.js`);
  }

  /** Starts a script that writes one line of JSON to descriptor 3 when it is ready or done; its output goes nowhere. */
  async start(
    script: string,
    args: readonly string[],
    variables: Readonly<Record<string, string>>,
  ): Promise<{ message: unknown; startedAt: number; stop: () => Promise<void> }> {
    const startedAt = performance.timeOrigin + performance.now();
    const child = spawn(process.execPath, [script, ...args], {
      env: { ...variables },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    });
    this.children.add(child);
    const exit = once(child, 'exit').then(() => this.children.delete(child));
    let complaints = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      complaints = (complaints + chunk.toString()).slice(-2_000);
    });
    const lines = createInterface({ input: child.stdio[3] as Readable });
    const [line] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string?];
    if (line === undefined) throw new Error(`${script} ended before it was done: ${complaints}`);
    const stop = async () => {
      child.kill();
      await exit;
    };
    return { message: JSON.parse(line) as unknown, startedAt, stop };
  }

  /** Starts a script that runs until the bench ends and sends no message. */
  launch(script: string, args: readonly string[], variables: Readonly<Record<string, string>>): void {
    this.launchCommand(process.execPath, [script, ...args], variables);
  }

  /** The same for a command. */
  launchCommand(command: string, args: readonly string[], variables: Readonly<Record<string, string>>): void {
    const child = spawn(command, args, { env: { ...variables }, stdio: 'ignore' });
    this.children.add(child);
    child.once('exit', () => this.children.delete(child));
  }

  /** Runs a script until it sends its only message. */
  async run(script: string, args: readonly string[], variables: Readonly<Record<string, string>>) {
    const { stop, ...outcome } = await this.start(script, args, variables);
    await stop();
    return outcome;
  }

  /** Stops the processes that still run, and removes the folder. */
  async clear(): Promise<void> {
    for (const child of this.children) child.kill();
    await Promise.all(Array.from(this.children, (child) => once(child, 'exit')));
    rmSync(this.directory, { recursive: true, force: true });
  }
}
