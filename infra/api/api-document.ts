import { Aws } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { isOpen, methodsOf } from '../../shared/http/contract.ts';
import type { EndpointFunction, Functions } from './functions.ts';
import { gatewayResponses } from './gateway-responses.ts';
import { liveAlias } from './releases.ts';

const authorizerName = 'stockroom';

/**
 * Every body reaches its function byte for byte, in base64. JSON cannot be left out: API Gateway knows a list of types and no
 * exceptions, damages a body of another type by reading it as UTF-8, and takes one without a type for JSON (as `curl -T`
 * sends it). Answers in bytes need this too: they leave as base64 unless the list has the first type in `Accept`, which is
 * for every client another one. docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-payload-encodings-workflow.html
 */
const binaryMediaTypes = ['*/*'];

/**
 * The OpenAPI document from which the API is created. API Gateway matches path and method as one pair: a static part beats
 * a parameter, and a parameter beats a greedy one. Never add an `ANY` method, nor a greedy path under `/1/`: a repository
 * named `local` or `members` would then be out of reach in some paths.
 */
export const apiDocument = (title: string, { authorizer, ofEndpoints }: Functions) => ({
  // API Gateway imports OpenAPI 3.0, not 3.1.
  openapi: '3.0.1',
  info: { title, version: '1' },
  paths: pathsOf(ofEndpoints),
  components: { securitySchemes: { [authorizerName]: requestAuthorizer(authorizer) } },
  'x-amazon-apigateway-binary-media-types': binaryMediaTypes,
  'x-amazon-apigateway-gateway-responses': gatewayResponses,
});

type Methods = Record<string, ReturnType<typeof operation>>;

const pathsOf = (ofEndpoints: readonly EndpointFunction[]): Record<string, Methods> => {
  const paths: Record<string, Methods> = {};
  for (const { endpoint, lambda } of ofEndpoints) {
    const methods = methodsOf(endpoint).map((method) => [method.toLowerCase(), operation(endpoint, lambda)]);
    paths[endpoint.path] = { ...paths[endpoint.path], ...Object.fromEntries(methods) };
  }
  return paths;
};

const operation = (endpoint: EndpointFunction['endpoint'], lambda: IFunction) => ({
  // The parameter of `{path+}` is called `path`.
  parameters: Array.from(endpoint.path.matchAll(/\{(\w+)\+?\}/g), ([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  })),
  responses: {},
  security: isOpen(endpoint) ? [] : [{ [authorizerName]: [] }],
  'x-amazon-apigateway-integration': {
    type: 'aws_proxy',
    httpMethod: 'POST',
    uri: invocationUri(lambda),
  },
});

const requestAuthorizer = (lambda: IFunction) => ({
  type: 'apiKey',
  name: 'Authorization',
  in: 'header',
  'x-amazon-apigateway-authtype': 'custom',
  'x-amazon-apigateway-authorizer': {
    type: 'request',
    identitySource: 'method.request.header.Authorization',
    // Safe to cache: every function reads user, token and membership again.
    authorizerResultTtlInSeconds: 300,
    authorizerUri: invocationUri(lambda),
  },
});

const invocationUri = (lambda: IFunction): string =>
  `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:lambda:path/2015-03-31/functions/${lambda.functionArn}:${liveAlias}/invocations`;
