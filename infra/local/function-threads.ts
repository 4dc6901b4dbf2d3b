import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import type { AccessAttempt } from './access-check.ts';
import type { FunctionDefinition } from './assembly.ts';

/** What a thread needs of a function. */
export interface Loadable {
  readonly definition: FunctionDefinition;
  /** What it finds in `process.env`. */
  readonly variables: Readonly<Record<string, string>>;
}

/** A function that runs in a thread. */
export interface Resident extends Loadable {
  /** Hears what the function says beside its answers. */
  readonly hear: (said: Said) => void;
}

export interface Invocation {
  readonly requestId: string;
  readonly event: string;
  /** The function's time limit, from the call of its handler. */
  readonly milliseconds: number;
}

export interface Failure {
  readonly errorType: string;
  readonly message: string;
  readonly stack?: string | undefined;
}

export interface Outcome {
  readonly requestId: string;
  readonly result?: string;
  readonly error?: Failure;
}

/** A message to a thread: a call of a function, which comes with it if the thread does not know it yet. */
export interface ToThread {
  readonly functionId: string;
  readonly loadable?: Loadable | undefined;
  readonly invocation: Invocation;
}

/** What a function says beside its answers: its accesses to AWS, its output, and how it failed when it had no call to answer. */
export interface Said {
  readonly access?: AccessAttempt;
  readonly output?: string;
  readonly end?: Failure;
}

/** A message from a thread about one of its functions; `end` tells that this one has failed. */
export interface FromThread extends Said {
  readonly functionId: string;
  readonly outcome?: Outcome;
  /** Whether all others of the thread end with it. */
  readonly endsThread?: true;
}

/** Lambda's limit for the start of an environment; the function's own limit counts from the call of its handler. */
const startMillisecondsMax = 10_000;

/** Functions wait for each other's computing, but seldom for long; each further thread has code and heap of its own. */
const usualThreadsMax = 4;

interface Pending {
  readonly functionId: string;
  readonly settle: (outcome: Omit<Outcome, 'requestId'>) => void;
}

/** The function that ended its thread. */
interface Culprit {
  readonly functionId: string;
  readonly failure: Failure;
}

/** What a call comes to, of the culprit itself or of another function in its thread. */
const failureBy = ({ functionId, failure }: Culprit, called: string): Failure =>
  called === functionId
    ? failure
    : { errorType: 'Runtime.ExitError', message: `${functionId} ended the thread that it shares with this function.` };

/** One thread with some of the functions. */
class FunctionThread {
  /** Whether it gets no more calls; it ends with the last that it has. */
  isRetired = false;
  private readonly worker: Worker;
  private readonly residents = new Map<string, Resident>();
  private readonly answered = new Set<string>();
  private readonly pending = new Map<string, Pending>();
  /** The functions that have failed here. What they still do does not count. */
  private readonly ended = new Set<string>();
  private culprit: Culprit | undefined;

  /** `variables` are those that Node reads when a thread starts: its options, the folder of its compiled code. */
  constructor(variables: Loadable['variables'], onEnd: () => void) {
    this.worker = new Worker(new URL('./lambda-worker.ts', import.meta.url), {
      env: variables,
      stdout: true,
      stderr: true,
    });
    // What Node itself writes; which function is the cause is not known.
    createInterface({ input: this.worker.stderr }).on('line', (output) =>
      this.residents.values().next().value?.hear({ output }),
    );
    this.worker.on('message', (message: FromThread) => this.hear(message));
    let failure: Failure = { errorType: 'Runtime.ExitError', message: 'The thread of the function ended.' };
    this.worker.on('error', ({ name: errorType, message, stack }: Error) => {
      failure = { errorType, message, stack };
    });
    this.worker.once('exit', () => {
      this.isRetired = true;
      for (const { functionId, settle } of this.pending.values())
        settle({ error: this.culprit ? failureBy(this.culprit, functionId) : failure });
      onEnd();
    });
  }

  async call(resident: Resident, invocation: Invocation): Promise<Outcome> {
    const { definition, variables } = resident;
    const { id: functionId } = definition;
    const { requestId, milliseconds } = invocation;
    const loadable = this.residents.has(functionId) ? undefined : { definition, variables };
    this.residents.set(functionId, resident);
    const startMilliseconds = this.answered.has(functionId) ? 0 : startMillisecondsMax;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.isRetired = true;
        settle({ error: { errorType: 'Timeout', message: `Task timed out after ${milliseconds} ms.` } });
      }, startMilliseconds + milliseconds);
      const settle: Pending['settle'] = (outcome) => {
        clearTimeout(timer);
        this.pending.delete(requestId);
        resolve({ requestId, ...outcome });
        if (this.isRetired && this.pending.size === 0) void this.end();
      };
      this.pending.set(requestId, { functionId, settle });
      this.worker.postMessage({ functionId, loadable, invocation } satisfies ToThread);
    });
  }

  async end(): Promise<void> {
    await this.worker.terminate();
  }

  private hear({ functionId, outcome, end, endsThread, ...said }: FromThread): void {
    const resident = this.residents.get(functionId);
    resident?.hear(said);
    if (outcome) {
      this.answered.add(functionId);
      this.pending.get(outcome.requestId)?.settle(outcome);
    }
    if (end) this.endFunction({ functionId, failure: end }, endsThread);
  }

  /** What a function of this thread has left behind is not known, so new calls go to another thread. Calls of the others come to their end. */
  private endFunction(culprit: Culprit, endsThread = false): void {
    const { functionId, failure: end } = culprit;
    const isFirst = !this.ended.has(functionId);
    this.ended.add(functionId);
    this.isRetired = true;
    if (endsThread) this.culprit = culprit;
    const calls = Array.from(this.pending.values()).filter((call) => call.functionId === functionId);
    // Otherwise no caller is told.
    if (calls.length === 0 && isFirst) this.residents.get(functionId)?.hear({ end });
    if (endsThread) return;
    for (const { settle } of calls) settle({ error: end });
    if (this.pending.size === 0) void this.end();
  }
}

/**
 * The threads in which functions run. In Lambda, each function has an environment for itself; here some share a thread, whose memory
 * and start cost much. A function that fails between its calls, hangs, or ends its process, takes the others of its thread to another
 * thread. Only the end of the process ends calls of the others.
 */
export class FunctionThreads {
  isStopped = false;
  private readonly max: number;
  private readonly threadIndexes = new Map<string, number>();
  private readonly current: FunctionThread[] = [];
  private readonly all = new Set<FunctionThread>();

  constructor(max = usualThreadsMax) {
    this.max = max;
  }

  /** Calls a function where it is, and puts it into one of the threads before its first call. */
  async call(resident: Resident, invocation: Invocation): Promise<Outcome> {
    const { requestId } = invocation;
    if (this.isStopped) return { requestId, error: { errorType: 'Stopped', message: 'The runner stops.' } };
    const { id } = resident.definition;
    const index = this.threadIndexes.get(id) ?? this.threadIndexes.size % this.max;
    this.threadIndexes.set(id, index);
    let thread = this.current[index];
    if (!thread || thread.isRetired) thread = this.current[index] = this.start(resident);
    return thread.call(resident, invocation);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all(Array.from(this.all, (thread) => thread.end()));
  }

  private start({ variables }: Loadable): FunctionThread {
    const thread = new FunctionThread(variables, () => this.all.delete(thread));
    this.all.add(thread);
    return thread;
  }
}
