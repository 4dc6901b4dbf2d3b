import { type ErrorCode, errors } from '../shared/errors.ts';
import { authenticateChallenges, problem, problemMediaType, responseHeaders } from '../shared/http/problem.ts';

/** Every refusal that API Gateway itself can give, and the error of ours that it is told as. */
const codes = {
  ACCESS_DENIED: 'UNAUTHENTICATED',
  API_CONFIGURATION_ERROR: 'INTERNAL_ERROR',
  AUTHORIZER_CONFIGURATION_ERROR: 'INTERNAL_ERROR',
  AUTHORIZER_FAILURE: 'SERVICE_UNAVAILABLE',
  BAD_REQUEST_BODY: 'BODY_MALFORMED',
  BAD_REQUEST_PARAMETERS: 'REQUEST_INVALID',
  DEFAULT_4XX: 'REQUEST_INVALID',
  DEFAULT_5XX: 'INTERNAL_ERROR',
  EXPIRED_TOKEN: 'UNAUTHENTICATED',
  INTEGRATION_FAILURE: 'SERVICE_UNAVAILABLE',
  INTEGRATION_TIMEOUT: 'SERVICE_UNAVAILABLE',
  INVALID_API_KEY: 'UNAUTHENTICATED',
  INVALID_SIGNATURE: 'UNAUTHENTICATED',
  // The gateway's word for "no such method on such a path", whatever the credential.
  MISSING_AUTHENTICATION_TOKEN: 'ROUTE_NOT_FOUND',
  QUOTA_EXCEEDED: 'RATE_LIMITED',
  REQUEST_TOO_LARGE: 'BODY_TOO_LARGE',
  RESOURCE_NOT_FOUND: 'ROUTE_NOT_FOUND',
  THROTTLED: 'RATE_LIMITED',
  UNAUTHORIZED: 'UNAUTHENTICATED',
  UNSUPPORTED_MEDIA_TYPE: 'MEDIA_TYPE_UNSUPPORTED',
  WAF_FILTERED: 'FORBIDDEN',
} as const satisfies Record<string, ErrorCode>;

export type GatewayResponseType = keyof typeof codes;

/** What can be said more exactly than by the error alone. */
const details: { readonly [type in GatewayResponseType]?: string } = {
  BAD_REQUEST_PARAMETERS: 'The path or the query is no valid percent-encoding: encode it as RFC 3986 says.',
};

/** A gateway response as API Gateway's OpenAPI extension spells it. */
export interface GatewayResponse {
  readonly statusCode: number;
  readonly responseParameters: Readonly<Record<string, string>>;
  readonly responseTemplates: Readonly<Record<string, string>>;
}

const headersOf = (code: ErrorCode): Record<string, string> => {
  const { status, retryAfterSeconds } = errors[code];
  return {
    'Content-Type': problemMediaType,
    ...responseHeaders,
    ...(status === 401 && { 'WWW-Authenticate': authenticateChallenges }),
    ...(retryAfterSeconds && { 'Retry-After': `${retryAfterSeconds}` }),
  };
};

const gatewayResponse = (code: ErrorCode, detail?: string): GatewayResponse => ({
  statusCode: errors[code].status,
  responseParameters: {
    'gatewayresponse.header.X-Request-Id': 'context.requestId',
    ...Object.fromEntries(
      Object.entries(headersOf(code)).map(([name, value]) => [`gatewayresponse.header.${name}`, `'${value}'`]),
    ),
  },
  responseTemplates: { 'application/json': JSON.stringify(problem(code, '$context.requestId', detail)) },
});

/** The gateway's own refusals, in the words and headers of the functions'. */
export const gatewayResponses = Object.fromEntries(
  Object.entries(codes).map(([type, code]) => [type, gatewayResponse(code, details[type as GatewayResponseType])]),
) as Record<GatewayResponseType, GatewayResponse>;
