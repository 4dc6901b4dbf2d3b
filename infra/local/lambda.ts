import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import { type AccessAttempt, AccessCheck } from './access-check.ts';
import type { FunctionDefinition } from './assembly.ts';
import type { WarmFunctions } from './warm-functions.ts';

/** Receives each line that a function writes. */
export type LogSink = (line: string, functionId: string) => void;

/** Receives the functions' accesses to AWS: every refused one, and the first one that uses a right. */
export type AccessSink = (attempt: AccessAttempt, functionId: string) => void;

/** The receivers of what happens in a function. */
export interface Sinks {
  readonly log: LogSink;
  readonly access: AccessSink;
}

export interface Invocation {
  readonly requestId: string;
  readonly event: string;
  /** The function's time limit, from the call of its handler. */
  readonly milliseconds: number;
}

export interface Outcome {
  readonly requestId: string;
  readonly result?: string;
  readonly error?: { readonly errorType: string; readonly message: string; readonly stack?: string | undefined };
}

/** A message from the thread of a function: the outcome of a call, an access to AWS, output. */
export interface FromWorker {
  readonly outcome?: Outcome;
  readonly access?: AccessAttempt;
  readonly output?: string;
}

export interface InvokeOptions {
  /** A shorter time limit than the template's. */
  readonly timeoutSeconds?: number;
}

/** A handler that threw, a function that ran out of time or an answer that is too large. */
export class FunctionError extends Error {
  override readonly name = 'FunctionError';
}

/** The event exceeds Lambda's limit. */
export class PayloadTooLarge extends Error {
  override readonly name = 'PayloadTooLarge';
}

/** Lambda's limit for a synchronous request or response. */
const payloadBytesMax = 6 * 1024 * 1024;

/** Lambda's limit for the start of an environment; the function's own limit counts from the call of its handler. */
const startMillisecondsMax = 10_000;

/**
 * More calls of one function wait for their turn. In Lambda, each call has an environment for itself; here all share the 50
 * connections of one SDK client, which fails a call that has none after half a second.
 */
const callsAtOnceMax = 40;

interface Environment {
  readonly worker: Worker;
  hasAnswered: boolean;
  readonly pending: Map<string, (outcome: Outcome) => void>;
}

/** What the gateway needs of a function: wherever it runs, it gets an event and answers or throws. */
export interface Invocable {
  invoke(event: object): Promise<unknown>;
}

/** One function in a thread of its own; the first call starts it. */
export class Lambda implements Invocable {
  private readonly definition: FunctionDefinition;
  private readonly variables: Readonly<Record<string, string>>;
  private readonly sinks: Sinks;
  private current: Environment | undefined;
  private readonly all = new Set<Environment>();
  private isStopped = false;
  private readonly warm: WarmFunctions | undefined;
  private callsAtOnce = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    definition: FunctionDefinition,
    variables: Readonly<Record<string, string>>,
    sinks: Sinks,
    warm?: WarmFunctions,
  ) {
    this.definition = definition;
    this.variables = variables;
    this.sinks = sinks;
    this.warm = warm;
  }

  /** Calls the handler with a copy of the event, and returns a copy of its answer. */
  async invoke(
    event: object,
    { timeoutSeconds = this.definition.timeoutSeconds }: InvokeOptions = {},
  ): Promise<unknown> {
    const payload = JSON.stringify(event);
    if (Buffer.byteLength(payload) > payloadBytesMax) throw new PayloadTooLarge('The event exceeds 6 MB.');
    const { result, error } = await this.inTurn(() => this.run(payload, timeoutSeconds * 1000));
    if (error) {
      // With this message the authorizer asks API Gateway for a 401, so it is not a failure.
      if (error.message !== 'Unauthorized') this.log({ level: 'ERROR', ...error });
      throw new FunctionError(error.message);
    }
    if (Buffer.byteLength(result ?? '') > payloadBytesMax) throw new FunctionError('The answer exceeds 6 MB.');
    return JSON.parse(result ?? 'null');
  }

  /** Calls the handler for a sender that does not wait, with Lambda's retries; returns whether a call succeeded. */
  async invokeEvent(event: object): Promise<boolean> {
    const { retries, failureQueue, principal, statements } = this.definition;
    for (let attempt = 0; attempt <= retries; attempt += 1) {
      try {
        await this.invoke(event);
        return true;
      } catch (error) {
        if (!(error instanceof FunctionError)) throw error;
        if (this.isStopped) return false;
      }
    }
    if (failureQueue) {
      // Lambda sends a failed event to the queue with the role of the function.
      const access = new AccessCheck(principal, statements, (each) => this.reportAccess(each));
      access.refusalOf([{ action: 'sqs:SendMessage', resource: failureQueue, context: {} }]);
    }
    this.log({ level: 'ERROR', message: `The event failed ${retries + 1} times`, failureQueue });
    return false;
  }

  get isIdle(): boolean {
    return this.callsAtOnce === 0;
  }

  /** Ends the thread of a function that is not at work; returns whether it was not. */
  rest(): boolean {
    if (!this.isIdle) return false;
    void this.current?.worker.terminate();
    this.current = undefined;
    return true;
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all(Array.from(this.all, ({ worker }) => worker.terminate()));
  }

  private async inTurn<T>(call: () => Promise<T>): Promise<T> {
    if (this.callsAtOnce < callsAtOnceMax) this.callsAtOnce += 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.warm?.noteCall(this);
    try {
      return await call();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.callsAtOnce -= 1;
    }
  }

  private async run(event: string, milliseconds: number): Promise<Outcome> {
    const requestId = randomUUID();
    if (this.isStopped) return { requestId, error: { errorType: 'Stopped', message: 'The runner stops.' } };
    this.current ??= this.start();
    const environment = this.current;
    const startMilliseconds = environment.hasAnswered ? 0 : startMillisecondsMax;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.retire(environment);
        settle({ requestId, error: { errorType: 'Timeout', message: `Task timed out after ${milliseconds} ms.` } });
      }, startMilliseconds + milliseconds);
      const settle = (outcome: Outcome) => {
        clearTimeout(timer);
        environment.pending.delete(requestId);
        resolve(outcome);
        if (environment !== this.current && environment.pending.size === 0) void environment.worker.terminate();
      };
      environment.pending.set(requestId, settle);
      environment.worker.postMessage({ requestId, event, milliseconds } satisfies Invocation);
    });
  }

  /** Sends no further calls to this thread; it ends when its pending calls are over. */
  private retire(environment: Environment): void {
    if (this.current === environment) this.current = undefined;
  }

  private start(): Environment {
    const { name, memoryMegabytes } = this.definition;
    const worker = new Worker(new URL('./lambda-worker.ts', import.meta.url), {
      env: { ...this.variables, AWS_LAMBDA_FUNCTION_NAME: name, AWS_LAMBDA_FUNCTION_MEMORY_SIZE: `${memoryMegabytes}` },
      workerData: this.definition,
      stdout: true,
      stderr: true,
    });
    const environment: Environment = { worker, hasAnswered: false, pending: new Map() };
    this.all.add(environment);
    createInterface({ input: worker.stderr }).on('line', (line) => this.sinks.log(line, this.definition.id));
    worker.on('message', ({ output, access, outcome }: FromWorker) => {
      for (const line of output?.split('\n') ?? []) if (line !== '') this.sinks.log(line, this.definition.id);
      if (access) this.reportAccess(access);
      if (!outcome) return;
      environment.hasAnswered = true;
      environment.pending.get(outcome.requestId)?.(outcome);
    });
    let failure = {
      errorType: 'Runtime.ExitError',
      message: 'The function ended its process.',
      stack: undefined as string | undefined,
    };
    worker.on('error', ({ name: errorType, message, stack }: Error) => {
      failure = { errorType, message, stack };
      this.retire(environment);
      // No caller is told.
      if (environment.pending.size === 0)
        this.log({ level: 'ERROR', errorType, message: `The function failed between two calls: ${message}`, stack });
    });
    worker.once('exit', () => {
      this.retire(environment);
      this.all.delete(environment);
      for (const [requestId, settle] of environment.pending) settle({ requestId, error: failure });
    });
    return environment;
  }

  private log(entry: object): void {
    this.sinks.log(JSON.stringify(entry), this.definition.id);
  }

  private reportAccess(attempt: AccessAttempt): void {
    this.sinks.access(attempt, this.definition.id);
    const { isAllowed, action, resource } = attempt;
    if (!isAllowed) this.log({ level: 'ERROR', message: 'The role of this function lacks a right', action, resource });
  }
}
