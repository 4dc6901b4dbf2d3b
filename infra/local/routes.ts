import type { ApiDocument } from './assembly.ts';

/** One method on one path of the API. */
export interface Route {
  readonly method: string;
  /** The path in the document, with parameters in braces. */
  readonly path: string;
  readonly functionArn: string;
  /** The security scheme of its authorizer; undefined on a public route. */
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

/** The ARN of the function that an integration or authorizer URI invokes, without the alias. */
export const functionArnOf = (uri: string): string =>
  /\/functions\/(arn:.+:function:[^:/]+)(?::[^/]+)?\/invocations$/.exec(uri)?.[1] ?? uri;

const isParameter = (segment: string): boolean => segment.startsWith('{');

/**
 * API Gateway matches path and method as one pair: among the routes that have this method and fit this path, the one
 * that is static in the first segment where they differ wins. A static path without the method leaves the request to a
 * path with a parameter. Throws URIError when the percent-encoding of the path is invalid.
 */
export const findRoute = (routes: readonly Route[], method: string, path: string): Match | undefined => {
  const segments = path.split('/').map(decodeURIComponent);
  const [route] = routes.filter((each) => each.method === method && fits(each, segments)).toSorted(staticFirst);
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
