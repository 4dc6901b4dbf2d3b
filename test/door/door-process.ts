import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readAssembly } from '../../infra/local/assembly.ts';
import { credentialsOf, credentialVariables } from '../../infra/local/credentials.ts';
import type { Runner } from '../../infra/local/runner.ts';
import { local } from '../../infra/local/template.ts';
import { doorEnvironment } from '../../shared/config.ts';
import { assemblyWithDoor } from '../harness/assembly.ts';

type Variables = Readonly<Record<string, string>>;

/** What a door writes to its log for a request. */
export interface DoorLine {
  readonly level: string;
  readonly message: string;
  readonly way?: string;
  readonly status?: number;
  readonly bytes?: number;
}

/** A door in a process of its own, as on its hosts, in front of the API of a running service. */
export class DoorProcess {
  readonly url: string;
  /** Its log, oldest line first. */
  readonly lines: readonly DoorLine[];
  private readonly child: ChildProcess;

  private constructor(child: ChildProcess, port: number, lines: readonly DoorLine[]) {
    this.child = child;
    this.url = `http://127.0.0.1:${port}`;
    this.lines = lines;
  }

  static async start(runner: Runner, variables: Variables = {}, storeUrl = runner.storeUrl): Promise<DoorProcess> {
    const assembly = assemblyWithDoor();
    const child = spawn(process.execPath, [join(assembly, 'door', 'index.js')], {
      env: {
        ...readAssembly(assembly).door?.environment,
        ...credentialVariables(credentialsOf('door')),
        AWS_REGION: local.region,
        AWS_ENDPOINT_URL_S3: storeUrl,
        AWS_ENDPOINT_URL_KMS: runner.kmsUrl,
        [doorEnvironment.apiUrl]: runner.apiUrl,
        HOST: '127.0.0.1',
        PORT: '0',
        ...variables,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines: DoorLine[] = [];
    const opened = Promise.withResolvers<number>();
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line = JSON.parse(text) as DoorLine & { readonly port: number };
      if (line.message === 'listening') opened.resolve(line.port);
      else lines.push(line);
    });
    child.once('exit', (code) => opened.reject(new Error(`The door ended with code ${code}.`)));
    return new DoorProcess(child, await opened.promise, lines);
  }

  /** The most memory that the process has had, in MiB. */
  get memoryMax(): number {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  }

  /** Sends a signal, and returns the code with which the process then ends. */
  async end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGKILL'): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode;
    const ended = once(this.child, 'exit') as Promise<[number | null]>;
    this.child.kill(signal);
    return (await ended)[0];
  }
}

/** A connection to a door. */
export const connected = async (door: DoorProcess): Promise<Socket> => {
  const socket = connect(Number(new URL(door.url).port), '127.0.0.1');
  await once(socket, 'connect');
  return socket;
};

/** What comes over a connection until it ends. */
export const received = async (socket: Socket): Promise<string> => {
  let text = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) text += chunk.toString('latin1');
  return text;
};

/** The head of a request that publishes a file. */
export const headOf = (path: string, authorization: string, lines: readonly string[]): string =>
  [`PUT ${path} HTTP/1.1`, 'Host: door', `Authorization: ${authorization}`, ...lines, '', ''].join('\r\n');
