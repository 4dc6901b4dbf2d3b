import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import type { FunctionDefinition } from './assembly.ts';

/** Receives each line that a function writes. */
export type LogSink = (line: string, functionId: string) => void;

export interface WorkerSettings {
  readonly name: string;
  readonly arn: string;
  readonly directory: string;
  readonly handler: string;
  readonly memoryMegabytes: number;
}

export interface Invocation {
  readonly requestId: string;
  readonly event: string;
  /** When the function's time is over, in epoch milliseconds. */
  readonly deadline: number;
}

export interface Outcome {
  readonly requestId: string;
  readonly result?: string;
  readonly error?: { readonly errorType: string; readonly message: string; readonly stack?: string | undefined };
}

/** A handler that threw, a function that ran out of time or an answer that is too large. */
export class FunctionError extends Error {
  override readonly name = 'FunctionError';
}

/** The event is larger than Lambda takes. */
export class PayloadTooLarge extends Error {
  override readonly name = 'PayloadTooLarge';
}

/** Lambda's limit for a synchronous request or response. */
const payloadBytesMax = 6 * 1024 * 1024;

interface Environment {
  readonly worker: Worker;
  readonly pending: Map<string, (outcome: Outcome) => void>;
}

/** One function in a thread of its own, started when it is first called. */
export class Lambda {
  private readonly definition: FunctionDefinition;
  private readonly variables: Readonly<Record<string, string>>;
  private readonly log: (line: string) => void;
  private current: Environment | undefined;
  private readonly all = new Set<Environment>();

  constructor(definition: FunctionDefinition, variables: Readonly<Record<string, string>>, logSink: LogSink) {
    this.definition = definition;
    this.variables = variables;
    this.log = (line) => logSink(line, definition.id);
  }

  /** Calls the handler with a copy of the event, and returns a copy of its answer. */
  async invoke(event: object): Promise<unknown> {
    const payload = JSON.stringify(event);
    if (Buffer.byteLength(payload) > payloadBytesMax) throw new PayloadTooLarge('The event exceeds 6 MB.');
    const { result, error } = await this.run(payload);
    if (error) {
      // The authorizer's way to say 401: API Gateway knows it by this message, so it is no failure to report.
      if (error.message !== 'Unauthorized') this.log(JSON.stringify({ level: 'ERROR', ...error }));
      throw new FunctionError(error.message);
    }
    if (Buffer.byteLength(result ?? '') > payloadBytesMax) throw new FunctionError('The answer exceeds 6 MB.');
    return JSON.parse(result ?? 'null');
  }

  async stop(): Promise<void> {
    await Promise.all(Array.from(this.all, ({ worker }) => worker.terminate()));
  }

  private run(event: string): Promise<Outcome> {
    this.current ??= this.start();
    const environment = this.current;
    const requestId = randomUUID();
    const milliseconds = this.definition.timeoutSeconds * 1000;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.retire(environment);
        settle({ requestId, error: { errorType: 'Timeout', message: `Task timed out after ${milliseconds} ms.` } });
      }, milliseconds);
      const settle = (outcome: Outcome) => {
        clearTimeout(timer);
        environment.pending.delete(requestId);
        resolve(outcome);
        if (environment !== this.current && environment.pending.size === 0) void environment.worker.terminate();
      };
      environment.pending.set(requestId, settle);
      environment.worker.postMessage({ requestId, event, deadline: Date.now() + milliseconds } satisfies Invocation);
    });
  }

  /** No further call goes to this thread; it ends when those that it has are over. */
  private retire(environment: Environment): void {
    if (this.current === environment) this.current = undefined;
  }

  private start(): Environment {
    const { arn, directory, handler, memoryMegabytes } = this.definition;
    const name = arn.split(':').at(-1) ?? '';
    const worker = new Worker(new URL('./lambda-worker.ts', import.meta.url), {
      env: { ...this.variables, AWS_LAMBDA_FUNCTION_NAME: name, AWS_LAMBDA_FUNCTION_MEMORY_SIZE: `${memoryMegabytes}` },
      workerData: { name, arn, directory, handler, memoryMegabytes } satisfies WorkerSettings,
      stdout: true,
      stderr: true,
    });
    const environment: Environment = { worker, pending: new Map() };
    this.all.add(environment);
    this.follow(worker.stdout);
    this.follow(worker.stderr);
    worker.on('message', (outcome: Outcome) => environment.pending.get(outcome.requestId)?.(outcome));
    let failure = {
      errorType: 'Runtime.ExitError',
      message: 'The function ended its process.',
      stack: undefined as string | undefined,
    };
    worker.on('error', ({ name: errorType, message, stack }: Error) => {
      failure = { errorType, message, stack };
    });
    worker.once('exit', () => {
      this.retire(environment);
      this.all.delete(environment);
      for (const [requestId, settle] of environment.pending) settle({ requestId, error: failure });
    });
    return environment;
  }

  private follow(output: Readable): void {
    createInterface({ input: output }).on('line', this.log);
  }
}
