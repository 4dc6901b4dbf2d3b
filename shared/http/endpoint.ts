import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { ApiError, invalid, type Violation } from '../errors.ts';
import { Table } from '../table/client.ts';
import type { Repository } from '../table/repositories.ts';
import type { Workspace } from '../table/workspaces.ts';
import { type Admission, admit, type Caller, type Principal } from './admission.ts';
import type { BodyOf, Contract, PathParams, QueryOf, ResultOf } from './contract.ts';
import { log } from './log.ts';
import { openCursor, type PageRequest } from './paging.ts';
import { type LooseRule, readBody, readQuery } from './request.ts';
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

/** One request on its way through the pipeline. */
interface Exchange {
  event: APIGatewayProxyEvent;
  requestId: string;
  startedAt: number;
  table: Table;
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
const pageOf = (contract: Contract, query: Record<string, unknown> = {}, admission: Admission | undefined) => {
  const { limit, cursor, ...filters } = query as { limit?: number; cursor?: string };
  const scope = [
    contract.id,
    admission?.caller.user.userId,
    admission?.workspace?.workspaceId,
    admission?.repository?.repositoryId,
    Object.entries(filters).sort(),
  ];
  return { scope, page: { limit, after: cursor === undefined ? undefined : openCursor(cursor, scope) } };
};

/** The Lambda handler of an endpoint: the pipeline around its use case. */
export const endpoint = <const C extends Contract>(
  contract: C,
  useCase: UseCase<NoInfer<C>>,
  rules: readonly Rule<NoInfer<C>>[] = [],
) => {
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
      admission: undefined,
      page: { limit: undefined, after: undefined },
      scope: [],
      outcome: 'OK',
    };
  };

  const admitted = async ({ internal: { exchange } }: Request): Promise<void> => {
    if (contract.access === 'public') return;
    const { event, table } = exchange;
    exchange.admission = await admit(contract, principalOf(event), event.pathParameters ?? {}, table);
  };

  const parsed = (request: Request): void => {
    const { exchange } = request.internal;
    const { event, admission, table } = exchange;
    const query = readQuery(contract, event);
    const body = readBody(contract, event, rules as readonly LooseRule[]);
    const violations = [...query.violations, ...body.violations];
    if (violations.length > 0) throw invalid(violations);
    if (contract.paged) Object.assign(exchange, pageOf(contract, query.value, admission));
    request.event = {
      params: event.pathParameters ?? {},
      query: query.value,
      body: body.value,
      page: exchange.page,
      table,
      ...admission,
    } as Call<Contract>;
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
    .before(admitted)
    .before(parsed)
    .handler((call: Event) => useCase(call as Call<C>));
};
