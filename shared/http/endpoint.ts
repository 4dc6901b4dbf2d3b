import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { withoutTokens } from '../auth/tokens.ts';
import { ApiError } from '../errors.ts';
import { log } from '../observability/log.ts';
import { refuseWhileReadOnly } from '../read-only.ts';
import { passingOn, refuseLoop } from '../request-chain.ts';
import { sortedEntries } from '../sorted-entries.ts';
import type { Table } from '../table/client.ts';
import { rememberNothing } from '../table/creations.ts';
import type { IdentityMap } from '../table/identity-map.ts';
import type { Key } from '../table/keys.ts';
import { type Authorized, authorize } from './authorization.ts';
import type { Answered, BodyDestination, BuiltContract, DoorCall } from './built-contract.ts';
import type { AnswerAgain, Authenticate, Call, Extras, UseCase } from './call.ts';
import { answersOf, type Contract, listOf } from './contract.ts';
import { refuseCrossSite, requireOwnPage } from './cross-site.ts';
import { sealCursor, unsealCursor } from './cursors.ts';
import type { BoundRequest } from './idempotency.ts';
import { authorizationHeaders, headerOf, headerValuesOf, type LooseRule } from './input.ts';
import { actorIdOf, type Principal, principalIn } from './principal.ts';
import { baseUrlOf, parametersOf } from './request-address.ts';
import { problemResponse } from './response.ts';
import { sourceAddressOf } from './source-address.ts';

/** One request on its way through the pipeline. */
interface Exchange {
  readonly event: APIGatewayProxyEvent;
  readonly requestId: string;
  readonly startedAt: number;
  readonly table: Table;
}

/** What a use case returned, and the request that it answers. */
interface Outcome {
  readonly answered: Answered;
  readonly result: unknown;
}

/** The response of a request that no use case answers. */
interface Answer {
  readonly answer: APIGatewayProxyResult;
}

type Request = middy.Request<APIGatewayProxyEvent | Exchange, Outcome | Answer | APIGatewayProxyResult>;

/** Whom the authorizer recognised. */
const principalOf = ({ requestContext }: APIGatewayProxyEvent): Principal | undefined =>
  principalIn(requestContext.authorizer ?? {});

const asApiError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError('INTERNAL_ERROR', undefined, [], { cause: error });

/** Begins an exchange, and writes the log line of the request at its end. */
const logged = (contract: BuiltContract) => {
  const write = ({ event, response, error }: Request): void => {
    const exchange = event as Exchange;
    // From the answer of the authorizer, so that the line of a refused request names the caller, too.
    const principal = principalOf(exchange.event);
    log.request({
      requestId: exchange.requestId,
      operation: contract.id,
      path: contract.pathIsSecret ? contract.path : withoutTokens(exchange.event.path),
      status: (response as APIGatewayProxyResult).statusCode,
      outcome: error ? asApiError(error).code : 'OK',
      principalId: principal && actorIdOf(principal),
      tokenId: principal?.tokenId,
      durationMilliseconds: Date.now() - exchange.startedAt,
      table: exchange.table.usage,
    });
    log.changes(exchange.table.recorded);
  };
  return {
    before: (request: Request): void => {
      const event = request.event as APIGatewayProxyEvent;
      const { requestId } = event.requestContext;
      const table = new contract.Table(contract.ofDoor?.millisecondsFor(event));
      request.event = { event, requestId, startedAt: Date.now(), table };
    },
    after: write,
    onError: write,
  };
};

/** Waits, once the response is made, for what the use case writes beside it. */
const finishing = () => {
  const wait = async ({ event }: Request): Promise<void> => {
    for (const failure of await (event as Exchange).table.sideWork.ended()) log.bestEffortFailure(failure);
  };
  return { after: wait, onError: wait };
};

/** Turns the result or the error of the use case into the response. */
const answering = (contract: BuiltContract) => ({
  after: (request: Request): void => {
    const outcome = request.response as Outcome | Answer;
    request.response =
      'answer' in outcome ? outcome.answer : responderOf(contract, outcome.result)(outcome.answered, outcome.result);
  },
  onError: (request: Request): void => {
    const { event, requestId } = request.event as Exchange;
    const error = asApiError(request.error);
    if (error.cause) log.failure(requestId, contract.id, error);
    const { shapeProblem, problemHeaders } = contract;
    request.response = problemResponse(error, requestId, shapeProblem, headerOf(event, 'user-agent'), problemHeaders);
  },
});

/** The responder of an answer. If the contract has several kinds of answers, the result contains its kind. */
const responderOf = (contract: BuiltContract, result: unknown) => {
  const [only, ...others] = answersOf(contract).map(({ kind }) => kind);
  const kind = others.length === 0 ? only : (result as { readonly kind: typeof only }).kind;
  const respond = kind && contract.respond[kind];
  if (!respond) throw new Error(`The contract ${contract.id} announces no answer of the kind ${kind}.`);
  return respond;
};

/**
 * Reads the request, checks the access, and only then reports broken rules: callers without access learn nothing about
 * the rules. Returns the argument of the use case.
 */
const callOf = async <C extends Contract>(
  contract: BuiltContract,
  { rules = [], alsoRead, authenticate, destination }: Extras<C>,
  { event, requestId, table }: Exchange,
): Promise<Answer | { call: Call<C>; answered: Answered; bound: BoundRequest | undefined }> => {
  const { httpMethod } = event;
  const header = (name: string) => headerOf(event, name);
  const baseUrl = baseUrlOf(event);
  refuseCrossSite({ method: httpMethod, changesByGet: contract.changesByGet, header, baseUrl });
  if (contract.readsCookie) requireOwnPage(header);
  const input = contract.read(contract, event, rules as readonly LooseRule[]);
  const params = parametersOf(event);
  const authorization = authorizationHeaders(event);
  const source = { requestId, sourceAddress: sourceAddressOf(event) };
  if (authenticate) {
    const prove: Authenticate<C> = authenticate;
    // Where API Gateway leaves the answer of the authorizer: the log line reads it there, too.
    event.requestContext.authorizer =
      (await prove({ params: params as never, body: input.body as never, authorization, source, table })) ?? null;
  }
  const principal = contract.access === 'public' ? undefined : completePrincipal(event, contract);
  const actorId = principal && actorIdOf(principal);
  // Who has no actor yet gets a secret, so the key is refused.
  const keyed = contract.readIdempotencyKey?.(contract, event, actorId ?? '');
  const alsoWanted = (workspaceId: string | undefined, loaded: IdentityMap): readonly Key[] => [
    ...(keyed?.keys ?? []),
    ...(alsoRead?.({
      params,
      query: input.query,
      body: input.validFields,
      actorId,
      workspaceId,
      loaded,
      header,
    } as never) ?? []),
  ];
  const authorized = principal && (await authorize({ contract, principal, path: params, alsoWanted }, table));
  const { query, body } = input;
  const isHead = httpMethod === 'HEAD';
  const ofRequest = {
    params,
    query,
    body,
    isHead,
    authorization,
    source,
    header,
    baseUrl,
    url: baseUrl + event.path,
    table,
    ...authorized,
  };
  const bodyDestination = destination as BodyDestination | undefined;
  // A contract that takes bodies changes something, so the item of the workspace was read.
  const answer = await contract.ofDoor?.pass(contract, event, actorId, ofRequest as DoorCall, bodyDestination);
  if (answer) return { answer };
  if (input.refusal) throw input.refusal;
  if (authorized) table.author = { actor: authorized.caller.actor, ...source, operation: contract.id };
  // The table refuses every write, too. Here it is refused before anything is sent to the store or to an upstream.
  if (httpMethod !== 'GET' && !isHead) refuseWhileReadOnly();
  const { workspace, repository } = authorized ?? {};
  // The rest of a path names a file.
  const file = params.path === undefined ? [] : [params.path];
  const bound = await keyed?.bind([workspace?.workspaceId, repository?.repositoryId, ...file], body);
  const { page, seal } = pageOf(contract, params, query, authorized);
  // The steps above have checked what the contract declares.
  const call = { ...ofRequest, page, remember: bound?.remember ?? rememberNothing } as never;
  return { call, answered: { contract, event, requestId, page, seal }, bound };
};

const completePrincipal = (event: APIGatewayProxyEvent, { authenticates }: Contract): Principal => {
  const principal = principalOf(event);
  if (!principal) throw new ApiError('UNAUTHENTICATED', authenticates);
  return principal;
};

const noCursors = (): never => {
  throw new Error('Only a list that has a caller has cursors.');
};

/** The page that the query requests. Its cursor must belong to this list, these filters and this caller. */
const pageOf = (
  contract: Contract,
  params: Readonly<Record<string, string>>,
  query: Record<string, unknown>,
  authorized: Authorized | undefined,
): Pick<Answered, 'page' | 'seal'> => {
  const list = listOf(contract);
  if (!list || !authorized) return { page: { limit: undefined, after: undefined }, seal: noCursors };
  const { caller, workspace, repository } = authorized;
  const { limit = list.pageSize, cursor, ...filters } = query as { limit?: number; cursor?: string };
  const of = params.user ?? params.package;
  const scope = [contract.id, workspace?.workspaceId, repository?.repositoryId, of, sortedEntries(filters)];
  return {
    page: { limit, after: cursor === undefined ? undefined : unsealCursor(cursor, caller, scope) },
    seal: (position) => sealCursor(position, caller, scope),
  };
};

const isBuilt = (contract: Contract): contract is BuiltContract => 'read' in contract;

/** The Lambda handler of an endpoint: the pipeline around its use case. */
export const endpoint = <const C extends Contract>(contract: C, useCase: UseCase<C>, extras: Extras<C> = {}) => {
  const built: Contract = contract;
  if (!isBuilt(built)) throw new Error(`The contract ${contract.id} was not built: handlers run from their bundle.`);
  const answerAgain: AnswerAgain<C> | undefined = extras.answerAgain;
  if (contract.idempotencyKey === 'taken' && !answerAgain)
    throw new Error(`The endpoint ${contract.id} takes an Idempotency-Key, and does not answer again.`);
  // Hooks after the handler run in reverse order: the log line is the last.
  return middy<APIGatewayProxyEvent | Exchange, Outcome | Answer | APIGatewayProxyResult>({ timeoutEarlyInMillis: 0 })
    .use(logged(built))
    .use(finishing())
    .use(answering(built))
    .handler(async (exchange) => {
      const marks = refuseLoop(headerValuesOf((exchange as Exchange).event, 'via'));
      const prepared = await callOf(built, extras, exchange as Exchange);
      if ('answer' in prepared) return prepared;
      const { call, answered, bound } = prepared;
      const create = async (): Promise<unknown> => passingOn(marks, async () => useCase(call));
      if (!bound || !answerAgain) return { answered, result: await create() };
      return { answered, result: await bound.answer(call, create, async (id) => answerAgain(call, id)) };
    });
};
