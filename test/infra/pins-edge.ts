import { Match } from 'aws-cdk-lib/assertions';
import { endpoints } from '../../functions/endpoints.ts';
import { methodsOf } from '../../shared/http/contract.ts';
import { about, exactly, named, type Pin } from './pin.ts';

/** Routes that anybody can call, in the order of the list. */
const openRoutes = [
  ['/~1healthz', 'GET'],
  ['/~1openapi.json', 'GET'],
  ['/~1readyz', 'GET'],
  ['/~1docs', 'GET'],
  ['/~1docs~1swagger-ui-5.35.0.js', 'GET'],
  ['/', 'GET'],
  ['/~1console~1{script}', 'GET'],
  ['/~11~1sessions', 'POST'],
  ['/~11~1sessions', 'DELETE'],
  ['/~11~1sessions~1renew', 'POST'],
  ['/~11~1tokens~1exchange', 'POST'],
  ['/~1npm~1{workspace}~1{repository}~1-~1user~1{path+}', 'PUT'],
] as const;
const setting = (held: object) => ({ MethodSettings: [held, ...openRoutes.map(() => Match.anyValue())] });
const openSetting = (held: object, isHeld: (path: string) => boolean = () => true) => ({
  MethodSettings: [Match.anyValue(), ...openRoutes.map(([path]) => (isHeld(path) ? held : Match.anyValue()))],
});
/** Those that answer with a large file. */
const hasFile = (path: string): boolean => /^\/$|openapi|docs|console/.test(path);
const joined = (...parts: readonly unknown[]) => ({ 'Fn::Join': ['', parts] });
/** API Gateway escapes nothing in the access log. Of these, a client chooses the request ID alone, and only as a UUID. */
const accessLogFields = {
  requestId: '$context.requestId',
  extendedRequestId: '$context.extendedRequestId',
  sourceIp: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  route: '$context.resourcePath',
  status: '$context.status',
  responseLength: '$context.responseLength',
  latency: '$context.responseLatency',
  errorType: '$context.error.responseType',
};
/** The ARN of a resource in the account and Region of the stack. */
export const arn = (service: string, ...resource: readonly unknown[]) =>
  joined('arn:', { Ref: 'AWS::Partition' }, `:${service}:`, { Ref: 'AWS::Region' }, ...resource);
const account = { Ref: 'AWS::AccountId' };
/** The API. */
export const api = { Ref: named('ApiRestApi') };

const routeCount = endpoints.flatMap(methodsOf).length;

export interface EdgeFacts {
  readonly name: string;
  /** The functions that serve no endpoint. */
  readonly functions: number;
  readonly rate: number;
  readonly burst: number;
  readonly logDays: number;
  /** What becomes of the logs when the stack goes. */
  readonly policy: 'Retain' | 'Delete';
}

const oneRoute = '^/(authorizers/\\*|api/(GET|HEAD|POST|PUT|PATCH|DELETE)/[a-z0-9_/*.-]*)$';

/** API Gateway's side. */
export const edgePins = ({ name, functions, rate, burst, logDays, policy }: EdgeFacts): readonly Pin[] => [
  ...about('AWS::ApiGateway::RestApi', {
    'there is one API': 1,
    'the API has the name of the stack, by which its metrics are found': { Name: name },
    'which its document confirms': { Body: { info: { title: name } } },
    'the API is regional': { EndpointConfiguration: { Types: ['REGIONAL'] } },
    'TLS is 1.3, or 1.2 with forward secrecy': { SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09' },
    'and nothing else': { EndpointAccessMode: 'STRICT' },
  }),
  ...about('AWS::ApiGateway::Stage', {
    'there is one stage': 1,
    'the API is traced by X-Ray': { TracingEnabled: true },
    'requests are throttled': setting({ ThrottlingRateLimit: rate }),
    'bursts are throttled': setting({ ThrottlingBurstLimit: burst }),
    'no header or body is logged': setting({ DataTraceEnabled: false }),
    'failures inside API Gateway are logged': setting({ LoggingLevel: 'ERROR' }),
    'metrics that cost by the method are off': setting({ MetricsEnabled: false }),
    'settings are for every path': setting({ ResourcePath: '/*' }),
    'settings are for every method': setting({ HttpMethod: '*' }),
    'only the open routes have settings of their own': {
      MethodSettings: [
        Match.anyValue(),
        ...openRoutes.map(([ResourcePath, HttpMethod]) => ({ ResourcePath, HttpMethod })),
      ],
    },
    'large files for everybody are throttled': openSetting(
      { ThrottlingRateLimit: 20, ThrottlingBurstLimit: 40 },
      hasFile,
    ),
    'and so are sign-ins, of which all callers need many': openSetting(
      { ThrottlingRateLimit: 200, ThrottlingBurstLimit: 400 },
      (path) => !hasFile(path),
    ),
    'nothing more of open routes is logged': openSetting({
      DataTraceEnabled: false,
      LoggingLevel: 'ERROR',
      MetricsEnabled: false,
    }),
    'the access log is JSON, without any text that a client chooses: no path, no header': {
      AccessLogSetting: { Format: JSON.stringify(accessLogFields) },
    },
    'the access log goes to its log group': {
      AccessLogSetting: {
        DestinationArn: arn('logs', ':', account, ':log-group:', { Ref: named('ApiAccessLog') }),
      },
    },
  }),
  ...about(['AWS::XRay::SamplingRule', { SamplingRule: { HTTPMethod: 'DELETE' } }], {
    'requests with a secret in the path are not traced, before any other rule': [
      1,
      {
        SamplingRule: {
          Priority: 1,
          FixedRate: 0,
          ReservoirSize: 0,
          HTTPMethod: 'DELETE',
          URLPath: '*/npm/*/*/-/user/token/*',
          Host: '*',
          ServiceName: '*',
          ServiceType: '*',
          ResourceARN: '*',
        },
      },
    ],
  }),
  ...about(['AWS::XRay::SamplingRule', { SamplingRule: { URLPath: '*' } }], {
    'of the reads of packages, one in two hundred is traced, and nothing of other APIs is decided': [
      2,
      {
        SamplingRule: {
          Priority: Match.anyValue(),
          FixedRate: 0.005,
          ReservoirSize: 0,
          HTTPMethod: Match.stringLikeRegexp('^(GET|HEAD)$'),
          URLPath: '*',
          ServiceName: Match.stringLikeRegexp('^Stockroom-[a-z]+/api$'),
          ServiceType: 'AWS::ApiGateway::Stage',
        },
      },
    ],
  }),
  ...about(['AWS::XRay::SamplingRule', { SamplingRule: { URLPath: '*/1/*' } }], {
    'of the reads of everything else, one in twenty is traced, before the rule of packages': [
      1,
      { SamplingRule: { Priority: 100, FixedRate: 0.05, HTTPMethod: 'GET', URLPath: '*/1/*' } },
    ],
  }),
  ...about('AWS::Logs::LogGroup', {
    'log groups keep their lines as long as the stage says': [
      endpoints.length + functions + 2,
      { RetentionInDays: logDays },
    ],
    [`log groups: ${policy} with the stack`]: { DeletionPolicy: policy, UpdateReplacePolicy: policy },
  }),
  ...about('AWS::Lambda::Permission', { 'the rest is called by the schedule': routeCount + 2 }),
  ...about(['AWS::Lambda::Permission', { Principal: 'apigateway.amazonaws.com' }], {
    'API Gateway calls what is live, and so does nobody else': [
      routeCount + 1,
      { FunctionName: joined(Match.anyValue(), ':live') },
    ],
    'each may be called from one method of this API': {
      SourceArn: arn('execute-api', ':', account, ':', api, Match.stringLikeRegexp(oneRoute)),
    },
  }),
  ...about('AWS::ApiGateway::Account', {
    'the one account-wide setting serves other APIs, too, and outlives the stack': { DeletionPolicy: 'Retain' },
  }),
  ...about(
    [
      'AWS::IAM::Role',
      { AssumeRolePolicyDocument: { Statement: [{ Principal: { Service: 'apigateway.amazonaws.com' } }] } },
    ],
    {
      'and so does its role': [1, { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' }],
    },
  ),
];

/** What API Gateway itself refuses: type, status and our code. */
const refusals = [
  ['ACCESS_DENIED', 401, 'UNAUTHENTICATED'],
  ['API_CONFIGURATION_ERROR', 500, 'INTERNAL_ERROR'],
  ['AUTHORIZER_CONFIGURATION_ERROR', 503, 'SERVICE_UNAVAILABLE'],
  ['AUTHORIZER_FAILURE', 503, 'SERVICE_UNAVAILABLE'],
  ['BAD_REQUEST_BODY', 400, 'BODY_MALFORMED'],
  ['BAD_REQUEST_PARAMETERS', 400, 'REQUEST_INVALID'],
  ['DEFAULT_4XX', 400, 'REQUEST_INVALID'],
  ['DEFAULT_5XX', 500, 'INTERNAL_ERROR'],
  ['EXPIRED_TOKEN', 401, 'UNAUTHENTICATED'],
  ['INTEGRATION_FAILURE', 503, 'SERVICE_UNAVAILABLE'],
  ['INTEGRATION_TIMEOUT', 503, 'SERVICE_UNAVAILABLE'],
  ['INVALID_API_KEY', 401, 'UNAUTHENTICATED'],
  ['INVALID_SIGNATURE', 401, 'UNAUTHENTICATED'],
  ['MISSING_AUTHENTICATION_TOKEN', 404, 'ROUTE_NOT_FOUND'],
  ['QUOTA_EXCEEDED', 429, 'RATE_LIMITED'],
  ['REQUEST_TOO_LARGE', 413, 'BODY_TOO_LARGE'],
  ['RESOURCE_NOT_FOUND', 404, 'ROUTE_NOT_FOUND'],
  ['THROTTLED', 429, 'RATE_LIMITED'],
  ['UNAUTHORIZED', 401, 'UNAUTHENTICATED'],
  ['UNSUPPORTED_MEDIA_TYPE', 415, 'MEDIA_TYPE_UNSUPPORTED'],
  ['WAF_FILTERED', 403, 'FORBIDDEN'],
] as const;

const challenge = 'Basic realm="stockroom", charset="UTF-8"';

const headersOf = (status: number): Readonly<Record<string, string>> => ({
  'X-Request-Id': 'context.requestId',
  'Content-Type': "'application/problem+json'",
  'Cache-Control': "'no-store'",
  'X-Content-Type-Options': "'nosniff'",
  'Strict-Transport-Security': "'max-age=63072000; includeSubDomains'",
  // API Gateway takes the first and the last quote for those of the value.
  'Content-Security-Policy': "'default-src 'none'; sandbox; frame-ancestors 'none''",
  ...(status === 401 && { 'WWW-Authenticate': `'${challenge}'` }),
  ...((status === 429 || status === 503) && { 'Retry-After': "'1'" }),
});

/** Gateway responses stand in the document of the API; here each is a resource of its own. */
export const refusalPins: readonly Pin[] = [
  ...about('AWS::ApiGateway::GatewayResponse', { 'API Gateway refuses nothing in other words': refusals.length }),
  ...refusals.flatMap(([type, status, code]) =>
    about(['AWS::ApiGateway::GatewayResponse', { ResponseType: type }], {
      [`${type} is answered with ${status} ${code}`]: {
        statusCode: status,
        responseParameters: exactly(
          Object.fromEntries(
            Object.entries(headersOf(status)).map(([name, value]) => [`gatewayresponse.header.${name}`, value]),
          ),
        ),
        responseTemplates: exactly({
          'application/json': Match.serializedJson(
            Match.objectLike({ status, code, requestId: '$context.requestId', error: Match.anyValue() }),
          ),
        }),
      },
    }),
  ),
];
