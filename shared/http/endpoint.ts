import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { ApiError } from '../errors.ts';
import { log } from '../observability/log.ts';
import { Table } from '../table/client.ts';
import type { IdentityMap } from '../table/identity-map.ts';
import type { PageRequest } from '../table/lists.ts';
import { type Authorized, authorize, type Principal } from './authorization.ts';
import type { AlsoRead, Call, Extras, UseCase } from './call.ts';
import type { Contract } from './contract.ts';
import { openCursor } from './paging.ts';
import { type Input, type LooseRule, readInput } from './request.ts';
import { problemResponse, successResponse } from './response.ts';

/** One request on its way through the pipeline. */
interface Exchange {
  event: APIGatewayProxyEvent;
  requestId: string;
  startedAt: number;
  table: Table;
  input: Input;
  authorized: Authorized | undefined;
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
const pageOf = (contract: Contract, query: Record<string, unknown>, authorized: Authorized | undefined) => {
  const { limit, cursor, ...filters } = query as { limit?: number; cursor?: string };
  const scope = [
    contract.id,
    authorized?.caller.user.userId,
    authorized?.workspace?.workspaceId,
    authorized?.repository?.repositoryId,
    Object.entries(filters).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  ];
  return { scope, page: { limit, after: cursor === undefined ? undefined : openCursor(cursor, scope) } };
};

type Stage = (request: Request) => void | Promise<void>;

const open: Stage = (request) => {
  const event = request.event as APIGatewayProxyEvent;
  request.internal.exchange = {
    event,
    requestId: event.requestContext.requestId,
    startedAt: Date.now(),
    table: new Table(),
    input: { query: {}, body: undefined, sound: {}, refusal: undefined },
    authorized: undefined,
    page: { limit: undefined, after: undefined },
    scope: [],
    outcome: 'OK',
  };
};

/** Reads query and body, and keeps what is wrong with them for later. */
const parse =
  (contract: Contract, rules: readonly LooseRule[] | undefined): Stage =>
  ({ internal: { exchange } }) => {
    exchange.input = readInput(contract, exchange.event, rules);
  };

/** The one read, and who may go on. */
const admitCaller =
  (contract: Contract, alsoRead: AlsoRead<Contract> | undefined): Stage =>
  async ({ internal: { exchange } }) => {
    if (contract.access === 'public') return;
    const { event, table, input } = exchange;
    const params = event.pathParameters ?? {};
    const keys = (workspaceId: string | undefined, loaded: IdentityMap) =>
      alsoRead?.({ params, body: input.sound, workspaceId, loaded } as never) ?? [];
    exchange.authorized = await authorize(contract, principalOf(event), params, keys, table);
  };

/** Refuses what is wrong with the request, and makes it the call of the use case. */
const check =
  (contract: Contract): Stage =>
  (request) => {
    const { exchange } = request.internal;
    const { event, input, authorized, table } = exchange;
    if (input.refusal) throw input.refusal;
    if (contract.paged) Object.assign(exchange, pageOf(contract, input.query, authorized));
    const { query, body } = input;
    const params = event.pathParameters ?? {};
    request.event = { params, query, body, page: exchange.page, table, ...authorized } as unknown as Call<Contract>;
  };

const answer =
  (contract: Contract): Stage =>
  (request) => {
    request.response = successResponse(contract, request.internal.exchange, request.response);
  };

const refuse =
  (contract: Contract): Stage =>
  (request) => {
    const { exchange } = request.internal;
    const { error: cause } = request;
    const error = cause instanceof ApiError ? cause : new ApiError('INTERNAL_ERROR', undefined, [], { cause });
    exchange.outcome = error.code;
    if (error.cause) log.failure(exchange.requestId, contract.id, error);
    request.response = problemResponse(error, exchange.requestId);
  };

const tell =
  (contract: Contract): Stage =>
  ({ internal: { exchange }, response }) => {
    // As the authorizer said: the line of a refused request tells who it was, too.
    const { userId, tokenId } = (exchange.event.requestContext.authorizer ?? {}) as Partial<Principal>;
    log.request({
      requestId: exchange.requestId,
      operation: contract.id,
      status: (response as APIGatewayProxyResult).statusCode,
      outcome: exchange.outcome,
      principalId: userId,
      tokenId,
      durationMilliseconds: Date.now() - exchange.startedAt,
      table: exchange.table.usage,
    });
  };

/** The Lambda handler of an endpoint: the pipeline around its use case. */
export const endpoint = <const C extends Contract>(contract: C, useCase: UseCase<C>, extras: Extras<C> = {}) => {
  if ((contract.body && !contract.validateBody) || (contract.query && !contract.validateQuery))
    throw new Error(`The contract ${contract.id} has no compiled validators: handlers run from their bundle.`);
  // Hooks after the handler run in reverse order: the log line is the last.
  return middy({ timeoutEarlyInMillis: 0 })
    .use({ before: open, after: tell(contract), onError: tell(contract) })
    .use({ after: answer(contract), onError: refuse(contract) })
    .before(parse(contract, extras.rules as readonly LooseRule[] | undefined))
    .before(admitCaller(contract, extras.alsoRead))
    .before(check(contract))
    .handler((call: Event) => useCase(call as Call<C>));
};
