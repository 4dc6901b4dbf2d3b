import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Table } from '../table/client.ts';
import type { Workspace } from '../table/identity/workspaces.ts';
import type { PageRequest } from '../table/lists.ts';
import type { AnswerKind, Contract } from './contract.ts';
import type { UploadDestination } from './door-headers.ts';
import type { IdempotencyKeyReader } from './idempotency.ts';
import type { Input, LooseRule } from './input.ts';
import type { Problem } from './problem.ts';
import type { Validator } from './validation.ts';

/**
 * A contract in its bundle. The build removes what only documents need, and adds the compiled validators and the modules
 * of its kinds.
 */
export interface BuiltContract extends Contract {
  readonly validateBody?: Validator;
  readonly validateQuery?: Validator;
  /** Set if the clients of a package type read by it: each sends parameters of its own, which mean nothing here. */
  readonly ignoresOtherQuery?: true;
  readonly read: RequestReader;
  /** Present if the contract says what happens to an Idempotency-Key. */
  readonly readIdempotencyKey?: IdempotencyKeyReader;
  /** Present if the body is no JSON: only such a one can be too large for a request. */
  readonly ofDoor?: DoorSteps;
  /** The table of each request. Where the contract names no write, it only reads: the bundle then holds nothing of the SDK. */
  readonly Table: new (
    milliseconds?: number,
  ) => Table;
  readonly respond: { readonly [Kind in AnswerKind['kind']]?: Responder };
  /**
   * Adds to a problem body the members that the clients of a package type print, or makes the plain text of it that they print:
   * the definition of the type has it.
   */
  readonly shapeProblem?: ProblemShape;
  /** The headers of a refusal that the clients of a package type show: the definition of the type has them. */
  readonly problemHeaders?: ProblemHeaders;
}

/** The headers that a problem has for the clients of a package type. */
export type ProblemHeaders = (problem: Problem) => Readonly<Record<string, string>>;

/** The shape of a problem for the clients of a package type. A text is sent as plain text. */
export type ProblemShape = (problem: Problem, userAgent?: string) => object | string;

/** Reads the body of a request. It does not throw a refusal, but returns it as part of the input. */
export type RequestReader = (
  contract: BuiltContract,
  event: APIGatewayProxyEvent,
  rules: readonly LooseRule[],
) => Input;

/** Where a body of some length belongs, see `Extras.destination`. */
export type BodyDestination = (
  call: { readonly table: Table },
  bytes: number,
) => Promise<UploadDestination | undefined>;

/** The parts of a request that the door asks about. */
export interface DoorCall {
  readonly table: Table;
  readonly workspace?: Workspace | undefined;
}

/** What the pipeline does for the door: `door-steps.ts`. */
export interface DoorSteps {
  /** How long a request with a staged body may take; undefined for another one. */
  readonly millisecondsFor: (event: APIGatewayProxyEvent) => number | undefined;
  /**
   * Answers the door's question whether the caller may send a body. Lets a call use its staged body, and throws REQUEST_INVALID if that
   * belongs to another request or was used before. `destination` is that of the endpoint.
   */
  readonly pass: (
    contract: BuiltContract,
    event: APIGatewayProxyEvent,
    actorId: string | undefined,
    call: DoorCall,
    destination: BodyDestination | undefined,
  ) => Promise<APIGatewayProxyResult | undefined>;
}

/** Makes the response of a success. */
export type Responder = (answered: Answered, result: unknown) => APIGatewayProxyResult;

/** The request that a response answers. */
export interface Answered {
  readonly contract: BuiltContract;
  readonly event: APIGatewayProxyEvent;
  readonly requestId: string;
  readonly page: PageRequest;
  /** Makes the cursor of a position in the list. */
  readonly seal: (position: string) => string;
}
