import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { findRoute } from '../../shared/http/routes.ts';
import type { GatewayResponseType } from '../api/gateway-responses.ts';
import type { Assembly } from './assembly.ts';
import { Authorizer, type AuthorizerDecision } from './authorization.ts';
import { type Invocable, PayloadTooLarge } from './lambda.ts';
import { type GatewayRequest, gatewayRequest, proxyEvent, readBody } from './request.ts';
import { isProxyResult, sendGatewayResponse, sendRequestTooLong, sendResult } from './response.ts';
import { type Match, type Route, routesOf } from './routes.ts';
import { CallNotBegun } from './turns.ts';

const unguarded: AuthorizerDecision = { context: {} };

/** The local API Gateway, made from the API document of the stack: routes, authorizers, refusals, limits. */
export class Gateway {
  private readonly assembly: Assembly;
  private readonly routes: readonly Route[];
  private readonly lambdas: ReadonlyMap<string, Invocable>;
  private readonly authorizers: ReadonlyMap<string, Authorizer>;

  /** The keys of `lambdas` are ARNs. */
  constructor(assembly: Assembly, lambdas: ReadonlyMap<string, Invocable>) {
    const { api } = assembly;
    this.assembly = assembly;
    this.routes = routesOf(api);
    this.lambdas = lambdas;
    this.authorizers = new Map(
      Object.keys(api.components.securitySchemes).map((name) => [name, new Authorizer(name, api, lambdas)]),
    );
  }

  clearAuthorizerCache(): void {
    for (const authorizer of this.authorizers.values()) authorizer.clearCache();
  }

  async answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = gatewayRequest(message, randomUUID(), this.assembly);
    const refuse = (type: GatewayResponseType) => this.refuse(response, request, type);
    const leaving = new AbortController();
    const { signal } = leaving;
    response.once('close', () => {
      if (!response.writableFinished) leaving.abort();
    });
    const body = await readBody(message);
    if (!body) return sendRequestTooLong(response);
    let match: Match | undefined;
    try {
      match = findRoute(this.routes, request.method, request.path);
    } catch {
      return refuse('BAD_REQUEST_PARAMETERS');
    }
    if (!match) return refuse('MISSING_AUTHENTICATION_TOKEN');
    const decision = await this.authorize(request, match, signal);
    if ('refusal' in decision) return refuse(decision.refusal);
    try {
      const event = proxyEvent(request, match, match.route.authorizer ? decision.context : undefined, body);
      const result = await this.lambdas.get(match.route.functionArn)?.invoke(event, { signal });
      if (isProxyResult(result)) return sendResult(response, request.requestId, result);
      return refuse('DEFAULT_5XX');
    } catch (error) {
      if (error instanceof CallNotBegun) return refuse('INTEGRATION_FAILURE');
      return refuse(error instanceof PayloadTooLarge ? 'REQUEST_TOO_LARGE' : 'DEFAULT_5XX');
    }
  }

  private async authorize(request: GatewayRequest, match: Match, signal: AbortSignal): Promise<AuthorizerDecision> {
    const authorizer = this.authorizers.get(match.route.authorizer ?? '');
    return authorizer ? authorizer.decide(request, match, { signal }) : unguarded;
  }

  private refuse(response: ServerResponse, { requestId }: GatewayRequest, type: GatewayResponseType): void {
    const gatewayResponse = this.assembly.api['x-amazon-apigateway-gateway-responses'][type];
    if (!gatewayResponse) throw new Error(`The API document has no gateway response ${type}.`);
    sendGatewayResponse(response, requestId, gatewayResponse);
  }
}
