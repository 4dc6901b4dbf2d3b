import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { type ApiError, errors } from '../errors.ts';
import type { Contract } from './contract.ts';
import { problem, problemMediaType, responseHeaders } from './problem.ts';

const respond = (
  statusCode: number,
  requestId: string,
  mediaType: string,
  body: unknown,
  headers: Record<string, string> = {},
): APIGatewayProxyResult => ({
  statusCode,
  headers: {
    'Content-Type': mediaType,
    'X-Request-Id': requestId,
    ...responseHeaders,
    ...headers,
  },
  body: JSON.stringify(body),
});

/** The path under which the whole API is served, such as `/prod`: what stands before the resource in the request's path. */
const basePath = ({ resource, requestContext }: APIGatewayProxyEvent): string => {
  const depth = resource.split('/').length;
  const segments = requestContext.path.split('/');
  return segments.slice(0, segments.length - depth + 1).join('/');
};

const locationOf = (contract: Contract, event: APIGatewayProxyEvent, result: Record<string, unknown>) =>
  contract.location &&
  basePath(event) + contract.location.replaceAll(/\{(\w+)\}/g, (_, field: string) => String(result[field]));

interface Answered {
  readonly event: APIGatewayProxyEvent;
  readonly requestId: string;
}

/** The response of a use case that succeeded. */
export const successResponse = (
  contract: Contract,
  { event, requestId }: Answered,
  answer: unknown,
): APIGatewayProxyResult => {
  const { status, result } =
    typeof contract.success === 'number'
      ? { status: contract.success, result: answer }
      : (answer as { status: number; result: unknown });
  const location = status === 201 ? locationOf(contract, event, result as Record<string, unknown>) : undefined;
  return respond(status, requestId, 'application/json', result, location ? { Location: location } : {});
};

/** The response of a refusal. */
export const problemResponse = (error: ApiError, requestId: string): APIGatewayProxyResult => {
  const { status, retryAfterSeconds } = errors[error.code];
  const body = problem(error.code, requestId, error.message, error.violations);
  return respond(
    status,
    requestId,
    problemMediaType,
    body,
    retryAfterSeconds ? { 'Retry-After': String(retryAfterSeconds) } : {},
  );
};
