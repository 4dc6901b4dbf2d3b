import { type ErrorCode, errors } from '../../shared/errors.ts';
import { wayOfLargerFiles } from '../../shared/http/body-limits.ts';
import { authenticateChallenge, problemMediaType, refusalBody, responseHeaders } from '../../shared/http/problem.ts';

/** Every refusal that API Gateway itself can give, and the error code that its answer carries. */
const codes = {
  ACCESS_DENIED: 'UNAUTHENTICATED',
  API_CONFIGURATION_ERROR: 'INTERNAL_ERROR',
  // API Gateway's name for an authorizer that it cannot call or whose answer it cannot use; no fault of the credential.
  AUTHORIZER_CONFIGURATION_ERROR: 'SERVICE_UNAVAILABLE',
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
  // API Gateway's name for a path and method that do not exist, whatever the credential.
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

/** Details that say more than the general text of the error. */
const details: { readonly [type in GatewayResponseType]?: string } = {
  BAD_REQUEST_PARAMETERS: 'The path or the query has an invalid percent-encoding: encode it as RFC 3986 says.',
  // Also what becomes of an event that Lambda does not take: 6 MB, in which the body is base64.
  REQUEST_TOO_LARGE: `The request body must be at most 4.5 MB, or less where an endpoint says so. ${wayOfLargerFiles}`,
};

/** A gateway response in the form of API Gateway's OpenAPI extension. */
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
    ...(status === 401 && { 'WWW-Authenticate': authenticateChallenge }),
    ...(retryAfterSeconds && { 'Retry-After': `${retryAfterSeconds}` }),
  };
};

/** A refusal with the texts and headers of an error; `detail` replaces its general text. */
export const gatewayResponse = (code: ErrorCode, detail?: string): GatewayResponse => ({
  statusCode: errors[code].status,
  responseParameters: {
    'gatewayresponse.header.X-Request-Id': 'context.requestId',
    ...Object.fromEntries(
      Object.entries(headersOf(code)).map(([name, value]) => [`gatewayresponse.header.${name}`, `'${value}'`]),
    ),
  },
  responseTemplates: { 'application/json': JSON.stringify(refusalBody(code, '$context.requestId', detail)) },
});

/** The gateway's own refusals, with the same texts and headers as those of the functions. */
export const gatewayResponses = Object.fromEntries(
  Object.entries(codes).map(([type, code]) => [type, gatewayResponse(code, details[type as GatewayResponseType])]),
) as Record<GatewayResponseType, GatewayResponse>;
