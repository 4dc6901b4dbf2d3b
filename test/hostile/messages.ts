import type { FunctionDefinition } from '../../infra/local/assembly.ts';
import type { callers } from '../harness/callers.ts';
import type { Request } from '../harness/endpoint-facts.ts';

/** What a process is told to do. */
export interface Order {
  /** That of the endpoint. */
  readonly id: string;
  readonly requests: number;
  readonly seed: number;
}

/** What a thread attacks, and how. */
export interface Attack {
  readonly assembly: string;
  readonly definition: FunctionDefinition;
  readonly requests: number;
  readonly seed: number;
  /** The Authorization header of each caller. */
  readonly credentials: Readonly<Record<(typeof callers)[number], string>>;
}

/** What a thread asks of the process with the service: to call a function, or for a valid request. */
export interface Question {
  readonly number: number;
  /** The endpoint. */
  readonly requestFor?: string;
  readonly call?: { readonly functionId: string; readonly event: object };
}

export interface Reply {
  readonly number: number;
  readonly result?: unknown;
  readonly request?: Request;
  /** The message of the error that the function threw. */
  readonly error?: string;
}

/** How an attack ended. */
export interface Outcome {
  readonly requests: number;
  /** CPU time of the function and of what attacks it. */
  readonly milliseconds: number;
  /** How often each status was the answer. */
  readonly statuses: Readonly<Record<string, number>>;
  /** How often what the requests are about was made anew. */
  readonly targets: number;
  /** What an answer broke, and how to see it again. */
  readonly failure?: string | undefined;
}

/** The outcome of an attack that did not begin. */
export const nothing: Outcome = { requests: 0, milliseconds: 0, statuses: {}, targets: 0 };

export interface FromThread {
  readonly question?: Question;
  readonly outcome?: Outcome;
}
