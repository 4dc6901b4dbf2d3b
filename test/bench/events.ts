import type { APIGatewayEventIdentity, APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { newToken } from '../../shared/auth/tokens.ts';
import type { Contract } from '../../shared/http/contract.ts';
import type { Principal } from '../../shared/http/principal.ts';

/** What API Gateway says of a client without credentials of AWS. */
const identity: APIGatewayEventIdentity = {
  accessKey: null,
  accountId: null,
  apiKey: null,
  apiKeyId: null,
  caller: null,
  clientCert: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  sourceIp: '192.0.2.1',
  user: null,
  userAgent: 'bench',
  userArn: null,
};

const request = (contract: Contract, params: Readonly<Record<string, string>>, headers: Record<string, string>) => {
  const path = contract.path.replaceAll(/\{(\w+)\+?\}/g, (_, name: string) => params[name] ?? '');
  return {
    resource: contract.path,
    path,
    httpMethod: contract.method,
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: { ...params },
    stageVariables: null,
    requestContext: {
      accountId: '123456789012',
      apiId: 'bench',
      stage: 'live',
      requestId: '00000000-0000-4000-8000-000000000000',
      extendedRequestId: 'bench',
      requestTimeEpoch: Date.now(),
      protocol: 'HTTP/1.1',
      httpMethod: contract.method,
      path,
      resourceId: 'bench',
      resourcePath: contract.path,
      identity,
      authorizer: undefined,
    },
  };
};

const ofClient = {
  Accept: '*/*',
  Host: 'api.example.com',
  'User-Agent': 'bench',
  'X-Forwarded-For': '192.0.2.1',
  'X-Forwarded-Proto': 'https',
};

/** The event that API Gateway sends to a function, with the authorizer's answer in it. */
export const proxyEvent = (
  contract: Contract,
  params: Readonly<Record<string, string>>,
  principal: Principal,
  body?: object,
  more: Readonly<Record<string, string>> = {},
): APIGatewayProxyEvent => {
  const headers = { ...ofClient, Authorization: 'Bearer x', 'Content-Type': 'application/json', ...more };
  const event = request(contract, params, headers);
  return {
    ...event,
    requestContext: { ...event.requestContext, authorizer: { ...principal } },
    body: body === undefined ? null : Buffer.from(JSON.stringify(body)).toString('base64'),
    isBase64Encoded: body !== undefined,
  };
};

/** The event that a function URL sends to the front for reads. */
export const urlEvent = (path: string, headers: Readonly<Record<string, string>>) => ({
  version: '2.0',
  rawPath: path,
  rawQueryString: '',
  headers: Object.fromEntries(
    Object.entries({ ...ofClient, ...headers }).map(([name, value]) => [name.toLowerCase(), value]),
  ),
  requestContext: {
    requestId: '00000000-0000-4000-8000-000000000000',
    domainName: 'url.example.com',
    http: { method: 'GET', path, sourceIp: identity.sourceIp },
  },
  isBase64Encoded: false,
});

/** The event that API Gateway sends to the authorizer, with a token that no table has. */
export const authorizerEvent = (contract: Contract): APIGatewayRequestAuthorizerEvent => ({
  type: 'REQUEST',
  methodArn: `arn:aws:execute-api:us-east-1:123456789012:bench/live/${contract.method}${contract.path}`,
  ...request(contract, {}, { ...ofClient, Authorization: `Bearer ${newToken()}` }),
});
