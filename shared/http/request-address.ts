import type { APIGatewayProxyEvent } from 'aws-lambda';
import { headerOf } from './input.ts';

/** The path under which the whole API is served, such as `/prod`: what stands before the path of the event. */
export const basePathOf = ({ path, requestContext }: APIGatewayProxyEvent): string =>
  requestContext.path.endsWith(path) ? requestContext.path.slice(0, -path.length) : '';

/** The URL that the client reached the API under, without a trailing slash. */
export const baseUrlOf = (event: APIGatewayProxyEvent): string =>
  `${headerOf(event, 'x-forwarded-proto') ?? 'https'}://${headerOf(event, 'host') ?? ''}${basePathOf(event)}`;

/**
 * The parameters of a path. API Gateway decodes them once, but a greedy one only in part; this one is cut out of the
 * path as it was sent, for the grammar of its package type to decode.
 */
export const parametersOf = ({ resource, path, pathParameters }: APIGatewayProxyEvent): Record<string, string> => {
  const { name } = /\{(?<name>\w+)\+\}$/.exec(resource)?.groups ?? {};
  const parameters = Object.fromEntries(Object.entries(pathParameters ?? {}).map(([key, value]) => [key, value ?? '']));
  if (name === undefined) return parameters;
  const depth = resource.split('/').length - 1;
  return { ...parameters, [name]: path.split('/').slice(depth).join('/') };
};
