import { randomUUID } from 'node:crypto';
import { type AccessAttempt, AccessCheck } from './access-check.ts';
import type { FunctionDefinition } from './assembly.ts';
import type { FunctionThreads, Outcome, Resident, Said } from './function-threads.ts';
import { Turns } from './turns.ts';

/** Receives each line that a function writes. */
export type LogSink = (line: string, functionId: string) => void;

/** Receives the functions' accesses to AWS: every refused one, and the first one that uses a right. */
export type AccessSink = (attempt: AccessAttempt, functionId: string) => void;

/** The receivers of what happens in a function. */
export interface Sinks {
  readonly log: LogSink;
  readonly access: AccessSink;
}

export interface CallOptions {
  /** Aborted when the caller has gone. A call that waits is given up then, one that runs is not. */
  readonly signal?: AbortSignal;
}

export interface InvokeOptions extends CallOptions {
  /** A shorter time limit than the template's. */
  readonly timeoutSeconds?: number;
  /** Whether the call waits however many do. */
  readonly isPatient?: boolean;
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
export const payloadBytesMax = 6 * 1024 * 1024;

/**
 * More calls of one function wait for their turn. In Lambda, each call has an environment for itself; here all share the 100
 * connections of one SDK client, which fails a call that has none after half a second.
 */
const callsAtOnceMax = 64;
const waitingMax = 1_000;
const waitingBytesMax = 128 * 1024 * 1024;

/** What the gateway needs of a function: wherever it runs, it gets an event and answers or throws. */
export interface Invocable {
  invoke(event: object, options?: CallOptions): Promise<unknown>;
}

/** One function of the stack. */
export class Lambda implements Invocable {
  private readonly definition: FunctionDefinition;
  private readonly sinks: Sinks;
  private readonly threads: FunctionThreads;
  private readonly resident: Resident;
  private readonly turns = new Turns({ callsAtOnceMax, waitingMax, waitingBytesMax });

  /** It runs in one of the threads. */
  constructor(
    definition: FunctionDefinition,
    variables: Readonly<Record<string, string>>,
    sinks: Sinks,
    threads: FunctionThreads,
  ) {
    this.definition = definition;
    this.sinks = sinks;
    this.threads = threads;
    const { name, memoryMegabytes } = definition;
    const own = { AWS_LAMBDA_FUNCTION_NAME: name, AWS_LAMBDA_FUNCTION_MEMORY_SIZE: `${memoryMegabytes}` };
    this.resident = { definition, variables: { ...variables, ...own }, hear: (said) => this.hear(said) };
  }

  /** Calls the handler with a copy of the event, and returns a copy of its answer. */
  async invoke(
    event: object,
    { timeoutSeconds = this.definition.timeoutSeconds, ...options }: InvokeOptions = {},
  ): Promise<unknown> {
    const payload = JSON.stringify(event);
    const bytes = Buffer.byteLength(payload);
    if (bytes > payloadBytesMax) throw new PayloadTooLarge('The event exceeds 6 MB.');
    const turn = { bytes, ...options };
    const { result, error } = await this.turns.take(turn, () => this.run(payload, timeoutSeconds * 1000));
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
        // Lambda keeps events until they can run.
        await this.invoke(event, { isPatient: true });
        return true;
      } catch (error) {
        if (!(error instanceof FunctionError)) throw error;
        if (this.threads.isStopped) return false;
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
    return this.turns.isIdle;
  }

  private run(event: string, milliseconds: number): Promise<Outcome> {
    return this.threads.call(this.resident, { requestId: randomUUID(), event, milliseconds });
  }

  private hear({ output, access, end }: Said): void {
    for (const line of output?.split('\n') ?? []) if (line !== '') this.sinks.log(line, this.definition.id);
    if (access) this.reportAccess(access);
    if (end) this.log({ level: 'ERROR', ...end, message: `The function failed between two calls: ${end.message}` });
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
