import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { ApiError, type Violation } from '../errors.ts';
import { Table } from '../table/client.ts';
import type { Key } from '../table/keys.ts';
import type { PageRequest } from '../table/lists.ts';
import type { Seen } from '../table/references.ts';
import type { Repository } from '../table/repositories.ts';
import type { Workspace } from '../table/workspaces.ts';
import { type Admission, admit, type Caller, type Principal } from './admission.ts';
import type { BodyOf, Contract, PathParams, QueryOf, ResultOf } from './contract.ts';
import { log } from './log.ts';
import { openCursor } from './paging.ts';
import { type Input, type LooseRule, readInput } from './request.ts';
import { problemResponse, successResponse } from './response.ts';

/** What a use case is called with: all of it checked, typed by the contract. */
export interface Call<C extends Contract> {
  readonly params: PathParams<C['path']>;
  readonly query: QueryOf<C>;
  readonly body: BodyOf<C>;
  readonly caller: C['access'] extends 'public' ? undefined : Caller;
  readonly workspace: C['path'] extends `${string}{workspace}${string}` ? Workspace : undefined;
  readonly repository: C['path'] extends `${string}{repository}${string}` ? Repository : undefined;
  /** The part of the list that is asked for, where the contract is paged. */
  readonly page: PageRequest;
  /** What the first read brought. */
  readonly seen: Seen;
  readonly table: Table;
}

/** What a use case answers: the result, with its status where the contract leaves a choice. */
export type Answer<C extends Contract> = C extends { readonly success: number }
  ? ResultOf<C>
  : { readonly status: 200 | 201; readonly result: ResultOf<C> };

export type UseCase<C extends Contract> = (call: Call<C>) => Promise<Answer<C>>;

/**
 * A rule that a schema cannot say, over the fields of the body that obey the schema; its violations are told together
 * with the schema's.
 */
export type Rule<C extends Contract> = (body: Partial<NonNullable<BodyOf<C>>>) => readonly Violation[];

/** What an endpoint adds to its contract and use case. */
export interface Extras<C extends Contract> {
  readonly rules?: readonly Rule<C>[];
  readonly alsoRead?: AlsoRead<C>;
}

/**
 * Keys that the first read should bring beside what decides access, so that the use case finds them in `seen` without
 * another round trip. Called again with what was seen until it asks for nothing new; where the path has a workspace,
 * once its ID is known. The body holds the fields that obey their schema.
 */
export type AlsoRead<C extends Contract> = (request: {
  readonly params: PathParams<C['path']>;
  readonly body: Partial<NonNullable<BodyOf<C>>>;
  readonly workspaceId: C['path'] extends `${string}{workspace}${string}` ? string : undefined;
  readonly seen: Seen;
}) => readonly Key[];

/** One request on its way through the pipeline. */
interface Exchange {
  event: APIGatewayProxyEvent;
  requestId: string;
  startedAt: number;
  table: Table;
  input: Input;
  admission: Admission | undefined;
  page: PageRequest;
  scope: readonly unknown[];
  outcome: string;
}

type Event = APIGatewayProxyEvent | Call<Contract>;
type Request = middy.Request<Event, unknown, Error, Context, { exchange: Exchange }>;

const principalOf = (event: APIGatewayProxyEvent): Principal => {
  const { userId, username, tokenId, passwordVersion } = (event.requestContext.authorizer ?? {}) as Partial<Principal>;
  if (!userId || !username || !(tokenId || passwordVersion)) throw new ApiError('UNAUTHENTICATED');
  return { userId, username, tokenId, passwordVersion };
};

/** The page that the query asks for; its cursor must be of this list, with these filters, and of this caller. */
const pageOf = (contract: Contract, query: Record<string, unknown>, admission: Admission | undefined) => {
  const { limit, cursor, ...filters } = query as { limit?: number; cursor?: string };
  const scope = [
    contract.id,
    admission?.caller.user.userId,
    admission?.workspace?.workspaceId,
    admission?.repository?.repositoryId,
    Object.entries(filters).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  ];
  return { scope, page: { limit, after: cursor === undefined ? undefined : openCursor(cursor, scope) } };
};

/** The Lambda handler of an endpoint: the pipeline around its use case. */
export const endpoint = <const C extends Contract>(contract: C, useCase: UseCase<C>, extras: Extras<C> = {}) => {
  if ((contract.body && !contract.validateBody) || (contract.query && !contract.validateQuery))
    throw new Error(`The contract ${contract.id} has no compiled validators: handlers run from their bundle.`);

  const open = (request: Request): void => {
    const event = request.event as APIGatewayProxyEvent;
    const { requestId } = event.requestContext;
    const table = new Table();
    request.internal.exchange = {
      event,
      requestId,
      startedAt: Date.now(),
      table,
      input: { query: {}, body: undefined, sound: {}, refusal: undefined },
      admission: undefined,
      page: { limit: undefined, after: undefined },
      scope: [],
      outcome: 'OK',
    };
  };

  const parsed = ({ internal: { exchange } }: Request): void => {
    exchange.input = readInput(contract, exchange.event, extras.rules as readonly LooseRule[] | undefined);
  };

  const admitted = async ({ internal: { exchange } }: Request): Promise<void> => {
    if (contract.access === 'public') return;
    const { event, table, input } = exchange;
    const params = event.pathParameters ?? {};
    const alsoRead = (workspaceId: string | undefined, seen: Seen) =>
      extras.alsoRead?.({
        params,
        body: input.sound,
        workspaceId,
        seen,
      } as never) ?? [];
    exchange.admission = await admit(contract, principalOf(event), params, alsoRead, table);
  };

  const checked = (request: Request): void => {
    const { exchange } = request.internal;
    const { event, input, admission, table } = exchange;
    if (input.refusal) throw input.refusal;
    if (contract.paged) Object.assign(exchange, pageOf(contract, input.query, admission));
    const params = event.pathParameters ?? {};
    const { query, body } = input;
    request.event = { params, query, body, page: exchange.page, table, ...admission } as unknown as Call<Contract>;
  };

  const answered = (request: Request): void => {
    request.response = successResponse(contract, request.internal.exchange, request.response);
  };

  const refused = (request: Request): void => {
    const { exchange } = request.internal;
    const error =
      request.error instanceof ApiError
        ? request.error
        : new ApiError('INTERNAL_ERROR', undefined, [], {
            cause: request.error,
          });
    exchange.outcome = error.code;
    if (error.cause) log.failure(exchange.requestId, contract.id, error);
    request.response = problemResponse(error, exchange.requestId);
  };

  const logged = ({ internal: { exchange }, response }: Request): void => {
    log.request({
      requestId: exchange.requestId,
      operation: contract.id,
      status: (response as APIGatewayProxyResult).statusCode,
      outcome: exchange.outcome,
      principalId: exchange.admission?.caller.user.userId,
      tokenId: exchange.admission?.caller.token?.tokenId,
      durationMilliseconds: Date.now() - exchange.startedAt,
      table: exchange.table.effort,
    });
  };

  // Hooks after the handler run in reverse order: the log line is the last.
  return middy({ timeoutEarlyInMillis: 0 })
    .use({ before: open, after: logged, onError: logged })
    .use({ after: answered, onError: refused })
    .before(parsed)
    .before(admitted)
    .before(checked)
    .handler((call: Event) => useCase(call as Call<C>));
};
