import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { PageRequest } from '../table/lists.ts';
import type { AnswerKind, Contract } from './contract.ts';
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
  readonly read: RequestReader;
  /** Present if the contract says what happens to an Idempotency-Key. */
  readonly readIdempotencyKey?: IdempotencyKeyReader;
  readonly respond: { readonly [Kind in AnswerKind['kind']]?: Responder };
  /**
   * Adds to a problem body the members that the clients of a package type print, or makes the plain text of it that they print:
   * `error-shape.ts` of the type's folder.
   */
  readonly shapeProblem?: ProblemShape;
}

/** The shape of a problem for the clients of a package type. A text is sent as plain text. */
export type ProblemShape = (problem: Problem, userAgent?: string) => object | string;

/** Reads the body of a request. It does not throw a refusal, but returns it as part of the input. */
export type RequestReader = (
  contract: BuiltContract,
  event: APIGatewayProxyEvent,
  rules: readonly LooseRule[],
) => Input;

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
