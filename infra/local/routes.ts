import type { ApiDocument } from './assembly.ts';

/** One method on one path of the API. */
export interface Route {
  readonly method: string;
  /** The path as the document writes it, parameters in braces. */
  readonly path: string;
  readonly functionArn: string;
  /** The security scheme whose authorizer guards it; none on an open route. */
  readonly authorizer: string | undefined;
}

export interface Match {
  readonly route: Route;
  readonly parameters: Readonly<Record<string, string>>;
}

/** All routes of the document. */
export const routesOf = ({ paths }: ApiDocument): Route[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([
        method,
        {
          security,
          'x-amazon-apigateway-integration': { uri },
        },
      ]) => ({
        method: method.toUpperCase(),
        path,
        functionArn: functionArnOf(uri),
        authorizer: security.flatMap((requirement) => Object.keys(requirement))[0],
      }),
    ),
  );

/** The function that an integration or authorizer URI invokes, through whichever alias. */
export const functionArnOf = (uri: string): string =>
  /\/functions\/(arn:.+:function:[^:/]+)(?::[^/]+)?\/invocations$/.exec(uri)?.[1] ?? uri;

const isParameter = (segment: string): boolean => segment.startsWith('{');

/**
 * API Gateway looks for path and method as one pair: of the routes that have this method and fit this path, the one
 * whose earliest differing segment is static wins. A static path without the method yields to a parameter.
 * Throws URIError when the path is no valid percent-encoding.
 */
export const findRoute = (routes: readonly Route[], method: string, path: string): Match | undefined => {
  const segments = path.split('/').map(decodeURIComponent);
  const [route] = routes
    .filter((candidate) => candidate.method === method && fits(candidate, segments))
    .toSorted(staticFirst);
  if (!route) return undefined;
  const named = route.path
    .split('/')
    .map((segment, index) => [segment.slice(1, -1), segments[index] ?? '', segment] as const);
  return {
    route,
    parameters: Object.fromEntries(
      named.filter(([, , segment]) => isParameter(segment)).map(([name, value]) => [name, value]),
    ),
  };
};

const fits = ({ path }: Route, segments: readonly string[]): boolean => {
  const pattern = path.split('/');
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => (isParameter(part) ? segments[index] !== '' : part === segments[index]))
  );
};

const staticFirst = (a: Route, b: Route): number => {
  const others = b.path.split('/');
  for (const [index, segment] of a.path.split('/').entries()) {
    const difference = Number(isParameter(segment)) - Number(isParameter(others[index] ?? ''));
    if (difference !== 0) return difference;
  }
  return 0;
};
