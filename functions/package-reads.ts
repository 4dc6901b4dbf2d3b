import { hash } from 'node:crypto';
import type { APIGatewayProxyResult, APIGatewayProxyStructuredResultV2, LambdaFunctionURLEvent } from 'aws-lambda';
import { type Credential, decodeAuthorization } from '../shared/auth/authorization-header.ts';
import { BoundedCache } from '../shared/bounded-cache.ts';
import { askApi } from '../shared/front/api.ts';
import { clientEventOf } from '../shared/front/edge-events.ts';
import { proxyEventOf, urlAnswerOf } from '../shared/front/url-events.ts';
import type { CredentialSource } from '../shared/http/password-check.ts';
import type { Principal } from '../shared/http/principal.ts';
import { provenPrincipal } from '../shared/http/proven-principal.ts';
import { findRoute } from '../shared/http/routes.ts';
import { unauthenticated } from '../shared/http/unauthenticated.ts';
import { log } from '../shared/observability/log.ts';
import { needsApi, unlessApiIsNeeded } from '../shared/pass-on.ts';
import { handlers, type ReadHandler, type ReadRoute, routes } from './read-handlers.ts';

type Result = APIGatewayProxyStructuredResultV2;

/**
 * Answers reads of packages at a function URL, with the use cases of their endpoints and with rights to read alone. What is no such
 * read, and what needs an upstream or a write, the API answers.
 */
export const handler = async (received: LambdaFunctionURLEvent): Promise<Result> => {
  const startedAt = Date.now();
  const event = clientEventOf(received);
  const route = routeOf(event);
  const answer = await unlessApiIsNeeded(async () => answerTo(event, route));
  if (answer) return answer;
  const answered = await askApi(event);
  log.passedOn({
    requestId: event.requestContext.requestId,
    operation: route?.id ?? 'none',
    status: answered.statusCode ?? 0,
    durationMilliseconds: Date.now() - startedAt,
  });
  return answered;
};

/** The endpoint of a request; undefined if it has none, which the API says. */
const routeOf = ({ rawPath, requestContext }: LambdaFunctionURLEvent): ReadRoute | undefined => {
  try {
    return findRoute(routes, requestContext.http.method, rawPath)?.route;
  } catch {
    return undefined;
  }
};

/** The answer of the front; undefined if the API answers. A credential that cannot be one costs neither a read nor a call of the API. */
const answerTo = async (event: LambdaFunctionURLEvent, route: ReadRoute | undefined): Promise<Result | undefined> => {
  if (!route || route.isOpen) return undefined;
  const { authorization } = event.headers;
  const credential = decodeAuthorization(authorization === undefined ? [] : [authorization]);
  const load = handlers[route.id];
  if (credential && !(load && credential.kind === 'token')) return undefined;
  const principal = await principalOf(credential, sourceOf(event));
  if (!principal || !load) return unauthenticated(event.requestContext.requestId);
  const handle = await loaded(route.id, load);
  const answer: APIGatewayProxyResult | typeof nothing = await handle(proxyEventOf(event, route.path, principal), {});
  return answer ? urlAnswerOf(answer) : undefined;
};

const sourceOf = ({ requestContext }: LambdaFunctionURLEvent): CredentialSource => ({
  requestId: requestContext.requestId,
  sourceAddress: requestContext.http.sourceIp,
});

/** As long as API Gateway keeps what its authorizer answered. Each handler reads the user and the token again. */
const rememberedMilliseconds = 300_000;

const remembered = new BoundedCache<{ readonly principal: Principal; readonly until: number }>(10_000);

/** The caller whom a token proves. Wrong passwords are counted, so passwords are for the API to prove. */
const principalOf = async (
  credential: Credential | undefined,
  source: CredentialSource,
): Promise<Principal | undefined> => {
  const key = hash('sha256', JSON.stringify(credential ?? null), 'base64');
  const known = remembered.get(key);
  if (known && known.until > Date.now()) return known.principal;
  const principal = await provenPrincipal(credential, source);
  if (principal) remembered.set(key, { principal, until: Date.now() + rememberedMilliseconds });
  return principal;
};

/** What a pipeline answers in place of a response, and without a line in the log, where the API answers the request. */
const nothing = null;

const known = new Map<string, Promise<ReadHandler>>();

/** The handler of an endpoint, which is loaded when it is first asked. */
const loaded = async (id: string, load: (typeof handlers)[string]): Promise<ReadHandler> => {
  const found = known.get(id) ?? withPassing(load());
  known.set(id, found);
  return found;
};

const withPassing = async (loading: ReturnType<(typeof handlers)[string]>): Promise<ReadHandler> =>
  (await loading).handler.use({
    after: () => (needsApi() ? nothing : undefined),
    onError: ({ error }) => (needsApi(error) ? nothing : undefined),
  });
