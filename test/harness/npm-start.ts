import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { WriteStream } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import packageJson from '../../package.json' with { type: 'json' };

/** What `npm start` starts, on a free port, with a password of the first system admin. */
export class StartedService {
  readonly url: string;
  readonly pid: number;
  private readonly child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.child = child;
    this.url = url;
    this.pid = Number(child.pid);
  }

  /** Starts it with its data in a folder. Its log goes nowhere, or to an open file. */
  static async start(
    folder: string,
    password: string,
    variables: Readonly<Record<string, string>> = {},
    log: 'ignore' | WriteStream = 'ignore',
  ) {
    const started = { PORT: '0', DATA_DIR: join(folder, 'data'), STOCKROOM_ADMIN_PASSWORD: password };
    // The script ends with `exec`, so that the child is the service itself.
    const child = spawn('/bin/sh', ['-c', packageJson.scripts.start], {
      env: {
        ...process.env,
        PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
        ...started,
        ...variables,
      },
      stdio: ['ignore', 'pipe', log],
    });
    const url = Promise.withResolvers<string>();
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, found] = /^listening on (\S+)$/.exec(line) ?? [];
      if (found !== undefined) url.resolve(found);
    });
    child.once('exit', (code) => url.reject(new Error(`npm start ended with code ${code}.`)));
    return new StartedService(child, await url.promise);
  }

  async end(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
  }
}
