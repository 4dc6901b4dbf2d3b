import { Aws } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { EndpointFunction, Functions } from './functions.ts';
import { gatewayResponses } from './gateway-responses.ts';
import { liveAlias } from './releases.ts';

const authorizerName = 'stockroom';

/**
 * The OpenAPI document from which the API is created. Never add an `ANY` method or a greedy path: API Gateway matches
 * path and method as one pair, and with either of them a repository named `local` or `members` would be out of reach in
 * some paths.
 */
export const apiDocument = ({ authorizer, ofEndpoints }: Functions) => ({
  // API Gateway imports OpenAPI 3.0, not 3.1.
  openapi: '3.0.1',
  info: { title: 'stockroom', version: '1' },
  paths: pathsOf(ofEndpoints),
  components: { securitySchemes: { [authorizerName]: requestAuthorizer(authorizer) } },
  // Every body reaches its function in base64, byte for byte, whatever its media type.
  'x-amazon-apigateway-binary-media-types': ['*/*'],
  'x-amazon-apigateway-gateway-responses': gatewayResponses,
});

type Methods = Record<string, ReturnType<typeof operation>>;

const pathsOf = (ofEndpoints: readonly EndpointFunction[]): Record<string, Methods> => {
  const paths: Record<string, Methods> = {};
  for (const { endpoint, lambda } of ofEndpoints) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operation(endpoint, lambda) };
  }
  return paths;
};

const operation = ({ path, access }: EndpointFunction['endpoint'], lambda: IFunction) => ({
  parameters: Array.from(path.matchAll(/\{([^}]+)\}/g), ([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  })),
  responses: {},
  security: access === 'public' ? [] : [{ [authorizerName]: [] }],
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
