import type { APIGatewayProxyEvent } from 'aws-lambda';
import { publicUrlVariable, variable } from '../config.ts';
import { ApiError } from '../errors.ts';
import { headerOf } from './input.ts';
import { pathParameters } from './routes.ts';

/** The header by which the front for reads says that it passes a request on. */
export const frontHeader = 'x-stockroom-front';

/** The variable of the stage with the URL of that front. */
export const frontUrlVariable = 'packagesUrl';

/** The URL of the front that the client called. The header only says that it did: the stage knows the URL. */
const frontUrlOf = (event: APIGatewayProxyEvent): string | undefined =>
  headerOf(event, frontHeader) === undefined ? undefined : event.stageVariables?.[frontUrlVariable];

/** The path under which the whole API is served, such as `/prod`: the part before the path of the event. The front has none, and a public URL neither. */
export const basePathOf = (event: APIGatewayProxyEvent): string => {
  const { path, requestContext } = event;
  const hasOwnUrl = frontUrlOf(event) !== undefined || variable(publicUrlVariable) !== undefined;
  const isBelow = !hasOwnUrl && requestContext.path.endsWith(path);
  return isBelow ? requestContext.path.slice(0, -path.length) : '';
};

/** The URL that the client reached the API under, without a trailing slash. */
export const baseUrlOf = (event: APIGatewayProxyEvent): string =>
  frontUrlOf(event) ??
  variable(publicUrlVariable) ??
  `${headerOf(event, 'x-forwarded-proto') ?? 'https'}://${headerOf(event, 'host') ?? ''}${basePathOf(event)}`;

/**
 * The parameters of a path, cut out of it as it was sent: whether API Gateway decodes those that it passes on depends on
 * who reports it. Each is decoded once, but for a greedy one, which is left to the grammar of its package type.
 */
export const parametersOf = ({ resource, path }: APIGatewayProxyEvent): Record<string, string> =>
  pathParameters(resource, path.split('/'), decoded);

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ApiError('REQUEST_INVALID', 'The path is not valid percent-encoding: encode it as RFC 3986 says.');
  }
};
