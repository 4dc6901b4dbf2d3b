import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import { BoundedCache } from '../../shared/bounded-cache.ts';
import type { GatewayResponseType } from '../api/gateway-responses.ts';
import type { ApiDocument } from './assembly.ts';
import { type CallOptions, FunctionError, type Invocable } from './lambda.ts';
import { type AuthorizerContext, apiId, eventOf, type GatewayRequest, headerValues } from './request.ts';
import { functionArnOf, type Match } from './routes.ts';
import { local } from './template.ts';

/** The result of an authorization: the context for the function, or the gateway response that refuses the request. */
export type AuthorizerDecision = { readonly context: AuthorizerContext } | { readonly refusal: GatewayResponseType };

/** The answer of the function, with its statements compiled. */
interface Policy {
  readonly answer: APIGatewayAuthorizerResult;
  readonly allows: (arn: string) => boolean;
}

interface Remembered {
  readonly policy: Policy;
  readonly until: number;
}

/** A REQUEST authorizer of API Gateway, with its cache. */
export class Authorizer {
  private readonly lambda: Invocable;
  private readonly header: string;
  private readonly lifetimeSeconds: number;
  private readonly remembered = new BoundedCache<Remembered>(10_000);

  constructor(name: string, { components }: ApiDocument, lambdas: ReadonlyMap<string, Invocable>) {
    const settings = components.securitySchemes[name]?.['x-amazon-apigateway-authorizer'];
    const lambda = settings && lambdas.get(functionArnOf(settings.authorizerUri));
    if (!lambda) throw new Error(`The API document has no function for the authorizer ${name}.`);
    this.lambda = lambda;
    this.header = settings.identitySource.replace('method.request.header.', '');
    this.lifetimeSeconds = settings.authorizerResultTtlInSeconds;
  }

  clearCache(): void {
    this.remembered.clear();
  }

  async decide(request: GatewayRequest, match: Match, options?: CallOptions): Promise<AuthorizerDecision> {
    const identity = headerValues(request, this.header);
    // API Gateway refuses a request without the identity source before it calls the function.
    if (identity.every((value) => value === '')) return { refusal: 'UNAUTHORIZED' };
    const started = Date.now();
    const policy = await this.policyFor(JSON.stringify(identity), request, match, options);
    if ('refusal' in policy) return policy;
    const { answer, allows } = policy;
    if (!allows(methodArn(request))) return { refusal: 'ACCESS_DENIED' };
    const context = answer.context ?? {};
    if (Object.values(context).some((value) => typeof value === 'object')) {
      return { refusal: 'AUTHORIZER_CONFIGURATION_ERROR' };
    }
    const integrationLatency = Date.now() - started;
    return { context: { ...(context as AuthorizerContext), principalId: answer.principalId, integrationLatency } };
  }

  private async policyFor(
    key: string,
    request: GatewayRequest,
    match: Match,
    options?: CallOptions,
  ): Promise<Policy | { refusal: GatewayResponseType }> {
    const known = this.remembered.get(key);
    if (known && known.until > Date.now()) return known.policy;
    try {
      const event = { type: 'REQUEST', methodArn: methodArn(request), ...eventOf(request, match) };
      const answer = await this.lambda.invoke(event, options);
      if (!isPolicy(answer)) return { refusal: 'AUTHORIZER_CONFIGURATION_ERROR' };
      const policy = { answer, allows: judgeOf(answer) };
      this.remembered.set(key, { policy, until: Date.now() + this.lifetimeSeconds * 1000 });
      return policy;
    } catch (error) {
      const unauthorized = error instanceof FunctionError && error.message === 'Unauthorized';
      return { refusal: unauthorized ? 'UNAUTHORIZED' : 'AUTHORIZER_FAILURE' };
    }
  }
}

const methodArn = ({ stage, method, path }: GatewayRequest): string =>
  `arn:aws:execute-api:${local.region}:${local.accountId}:${apiId}/${stage}/${method}${path}`;

const isPolicy = (value: unknown): value is APIGatewayAuthorizerResult =>
  typeof value === 'object' && value !== null && 'policyDocument' in value && 'principalId' in value;

/** Whether a policy allows a method: at least one statement matches it, and no matching statement denies it. */
const judgeOf = ({ policyDocument }: APIGatewayAuthorizerResult): Policy['allows'] => {
  const statements = policyDocument.Statement.map((statement) => ({
    isAllowing: statement.Effect === 'Allow',
    patterns: 'Resource' in statement ? [statement.Resource].flat().map((pattern) => patternOf(String(pattern))) : [],
  }));
  return (arn) => {
    const matching = statements.filter(({ patterns }) => patterns.some((pattern) => pattern.test(arn)));
    return matching.length > 0 && matching.every(({ isAllowing }) => isAllowing);
  };
};

const patternOf = (pattern: string): RegExp =>
  new RegExp(`^${pattern.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`, 's');
